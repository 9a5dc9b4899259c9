import { isObject } from "../../core/json.ts";

export interface CommentPlace {
  readonly api: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly pullRequest: number;
  readonly token: string;
}

/** `refused`: the token may not write, as in a fork's workflow, or the server gave an unexpected answer. */
export type Commented =
  | { readonly kind: "created" | "updated"; readonly url: string }
  | { readonly kind: "refused"; readonly why: string }
  /** There was no comment, and none was created. */
  | { readonly kind: "none" };

export interface CommentText {
  /** The text it starts with. */
  readonly mark: string;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Whether to create one if there is none. */
  readonly isBegun: boolean;
}

/**
 * One comment for all pushes. We replace the comment that starts with the mark and was written by the token's own
 * account, because anyone can write the mark. If there is none, we create one.
 */
export async function stickyComment(
  { api, repository, pullRequest, token }: CommentPlace,
  { mark, body, signal, isBegun }: CommentText,
): Promise<Commented> {
  const call = async (method: string, path: string, content?: object): Promise<Response> => {
    // your own GitHub server has its API at /api/v3 and /api/graphql
    const place = path === "graphql" ? api.replace(/\/v3$/, "") : api;
    const reply = await fetch(`${place}/${path}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-github-api-version": "2022-11-28",
      },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    });
    if (!reply.ok) throw new Refused(`${reply.status} ${reply.statusText}`.trim());
    return reply;
  };
  const issues = `repos/${repository}/issues`;
  const find = async (): Promise<number | undefined> => {
    // workflow tokens may not use GET /user
    const viewer: unknown = await (await call("POST", "graphql", { query: "{ viewer { login } }" })).json();
    const login = loginIn(viewer);
    if (login === undefined) throw new Refused("without saying whose token this is");
    for (let page = 1; page <= mostPages; page += 1) {
      const reply = await call("GET", `${issues}/${pullRequest}/comments?per_page=${perPage}&page=${page}`);
      const comments = readComments(await reply.json());
      const own = comments.find(({ body, author }) => author === login && body.startsWith(mark));
      if (own !== undefined || comments.length < perPage) return own?.id;
    }
    return undefined;
  };
  try {
    const known = await find();
    if (known === undefined && !isBegun) return { kind: "none" };
    const reply =
      known === undefined
        ? await call("POST", `${issues}/${pullRequest}/comments`, { body })
        : await call("PATCH", `${issues}/comments/${known}`, { body });
    const comment: unknown = await reply.json();
    const url = isObject(comment) ? comment["html_url"] : undefined;
    return { kind: known === undefined ? "created" : "updated", url: typeof url === "string" ? url : "" };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Refused ? `GitHub answered ${error.message}` : String(error);
    return { kind: "refused", why };
  }
}

class Refused extends Error {}

const [perPage, mostPages] = [100, 30];

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly author: string | undefined;
}

function loginIn(reply: unknown): string | undefined {
  const data = isObject(reply) ? reply["data"] : undefined;
  return loginOf(isObject(data) ? data["viewer"] : undefined);
}

const loginOf = (user: unknown): string | undefined =>
  isObject(user) && typeof user["login"] === "string" ? user["login"] : undefined;

function readComments(value: unknown): readonly Comment[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown) => {
    if (!isObject(row) || typeof row["id"] !== "number" || typeof row["body"] !== "string") return [];
    return [{ id: row["id"], body: row["body"], author: loginOf(row["user"]) }];
  });
}
