import { expect, onTestFinished, test } from "vitest";
import {
  type GithubApiOptions,
  type GithubComment,
  ownLogin,
  startGithubApi,
} from "../../../test/support/github-api.ts";
import { stickyComment } from "./sticky-comment.ts";

/** An API that ends with the test. */
async function startApi(rows: GithubComment[], options: GithubApiOptions = {}) {
  const { url, seen, close } = await startGithubApi(rows, options);
  onTestFinished(close);
  return { seen, place: { api: url, repository: "me/skills", pullRequest: 7, token: "t0ken" } };
}

const { signal } = new AbortController();
const text = (body: string) => ({ mark: "<!-- m -->", body: `<!-- m -->\n${body}`, signal, isBegun: true });

test("the second push writes the first one's comment anew, also behind a hundred others", async () => {
  const rows: GithubComment[] = Array.from({ length: 120 }, (_, at) => ({
    id: at + 1,
    body: "Nice.",
    user: { login: "ada" },
  }));
  const { place, seen } = await startApi(rows);
  expect(await stickyComment(place, text("one"))).toEqual({ kind: "created", url: "there" });
  expect(await stickyComment(place, text("two"))).toEqual({ kind: "updated", url: "there" });
  expect(rows.filter(({ body }) => body.startsWith("<!-- m -->")).map(({ body }) => body)).toEqual([
    "<!-- m -->\ntwo",
  ]);
  expect(seen.at(-1)).toBe("PATCH /repos/me/skills/issues/comments/121 Bearer t0ken");
});

test.each(["ada", "github-actions", "other-app[bot]"])(
  "a comment of %s that begins with the mark is left alone, before ours and without ours",
  async (login) => {
    const rows: GithubComment[] = [{ id: 1, body: "<!-- m -->\ncopied", user: { login } }];
    const { place } = await startApi(rows);
    expect(await stickyComment(place, { ...text("x"), isBegun: false })).toEqual({ kind: "none" });
    expect((await stickyComment(place, text("ours"))).kind).toBe("created");
    expect((await stickyComment(place, text("new"))).kind).toBe("updated");
    expect(rows.map(({ body }) => body)).toEqual(["<!-- m -->\ncopied", "<!-- m -->\nnew"]);
  },
);

test("where GitHub doesn't say whose the token is, no comment is touched", async () => {
  const rows: GithubComment[] = [{ id: 1, body: "<!-- m -->\nours", user: { login: ownLogin } }];
  const { place } = await startApi(rows, { isKnown: false });
  expect((await stickyComment(place, text("new"))).kind).toBe("refused");
  expect(rows.map(({ body }) => body)).toEqual(["<!-- m -->\nours"]);
});

test("a token that may not write is no failure", async () => {
  const { place } = await startApi([], { mayWrite: () => false });
  expect(await stickyComment(place, text("one"))).toEqual({
    kind: "refused",
    why: "GitHub answered 403 Forbidden",
  });
  const nobody = { ...place, api: "http://127.0.0.1:1" };
  expect((await stickyComment(nobody, text("one"))).kind).toBe("refused");
});
