import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface GithubComment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string };
}

export interface GithubApiOptions {
  /** Whether a token may write. @default all may */
  readonly mayWrite?: (authorization: string) => boolean;
  /** Whether it says whose token it was given. @default true */
  readonly isKnown?: boolean;
}

/** Of the token that workflows have. */
export const ownLogin = "github-actions[bot]";

/** As much of GitHub's API as one comment needs, on this machine. The comments are changed in place. */
export async function startGithubApi(
  comments: GithubComment[],
  { mayWrite = () => true, isKnown = true }: GithubApiOptions = {},
): Promise<{ readonly url: string; readonly seen: readonly string[]; readonly close: () => void }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const { authorization = "" } = headers;
      const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
      seen.push(`${method} ${pathname} ${authorization}`);
      const send = (code: number, value: unknown) => {
        response.writeHead(code, { "content-type": "application/json" });
        response.end(JSON.stringify(value));
      };
      // what GitHub answers to a workflow's token; GET /user is closed to it
      if (pathname === "/graphql")
        return send(200, { data: { viewer: { login: isKnown ? ownLogin : undefined } } });
      if (method === "GET") {
        const [page, size] = [Number(searchParams.get("page")), Number(searchParams.get("per_page"))];
        return send(200, comments.slice((page - 1) * size, page * size));
      }
      if (!mayWrite(authorization)) return send(403, { message: "Resource not accessible by integration" });
      const { body } = JSON.parse(Buffer.concat(chunks).toString()) as { body: string };
      const known = comments.find(({ id }) => pathname.endsWith(`/comments/${id}`));
      if (known === undefined) comments.push({ id: comments.length + 1, body, user: { login: ownLogin } });
      else known.body = body;
      return send(known === undefined ? 201 : 200, { html_url: "there" });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => void server.close(),
  };
}
