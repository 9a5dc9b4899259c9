import { isObject } from "../../core/json.ts";

export interface CommentPlace {
  readonly api: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly pullRequest: number;
  readonly token: string;
}

/** `refused`: the token may not write, as in a workflow of a fork; or the server did not answer as it should. */
export type Commented =
  | { readonly kind: "created" | "updated"; readonly url: string }
  | { readonly kind: "refused"; readonly why: string }
  /** There was none, and none was begun. */
  | { readonly kind: "none" };

export interface CommentText {
  /** What it begins with. */
  readonly mark: string;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Whether one is made where there is none. */
  readonly isBegun: boolean;
}

/**
 * One comment for all pushes: the one that begins with the mark and that the token's own account wrote is replaced. Only
 * where there is none, one is made. Anybody can write the mark.
 */
export async function stickyComment(
  { api, repository, pullRequest, token }: CommentPlace,
  { mark, body, signal, isBegun }: CommentText,
): Promise<Commented> {
  const call = async (method: string, path: string, content?: object): Promise<Response> => {
    // a server of one's own has its API at /api/v3 and /api/graphql
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
    // GET /user is closed to the tokens of workflows
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
