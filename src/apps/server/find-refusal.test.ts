import fc from "fast-check";
import { expect, test } from "vitest";
import { findRefusal } from "./find-refusal.ts";

const port = 4321;
const own = "127.0.0.1:4321";

interface Asked {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

function codeOf({ method = "GET", url = "/api/runs", headers = {} }: Asked): string | undefined {
  const all = Object.entries({ host: own, ...headers }).map(([name, value]) => [name, [value].flat()]);
  return findRefusal({ method, url, headersDistinct: Object.fromEntries(all) }, port)?.code;
}

const json = { "content-type": "application/json", "content-length": "2" };

test("what the page itself sends gets through", () => {
  expect(codeOf({ url: "/?token=abc_-" })).toBeUndefined();
  expect(codeOf({ headers: { host: "localhost:4321", origin: "http://localhost:4321" } })).toBeUndefined();
  expect(codeOf({ headers: { "sec-fetch-site": "same-origin" } })).toBeUndefined();
  expect(codeOf({ headers: { "sec-fetch-site": "none" } })).toBeUndefined();
  expect(
    codeOf({ url: "/api/runs/0a1b/rollouts?ref=steps%2Fstep_0001%2Fselection_eval%2312" }),
  ).toBeUndefined();
  const headers = { ...json, origin: "http://127.0.0.1:4321" };
  expect(codeOf({ method: "POST", url: "/api/runs/0a1b/adopt", headers })).toBeUndefined();
});

test("every other Host is foreign", () => {
  const foreign = [
    "evil.example",
    "127.0.0.1",
    "localhost:80",
    "127.0.0.1:4321.evil.example",
    "[::1]:4321",
    "",
  ];
  for (const host of foreign) expect([host, codeOf({ headers: { host } })]).toEqual([host, "foreign-host"]);
  expect(findRefusal({ method: "GET", url: "/", headersDistinct: {} }, port)?.code).toBe("foreign-host");
  fc.assert(
    fc.property(fc.string(), (host) => {
      fc.pre(host !== own && host !== "localhost:4321");
      expect(codeOf({ headers: { host } })).toBe("foreign-host");
    }),
  );
});

test("an Origin must be the page that this very Host serves", () => {
  const origins = [
    "null",
    "http://evil.example",
    "https://127.0.0.1:4321",
    "http://localhost:4321",
    "http://127.0.0.1:99",
  ];
  for (const origin of origins)
    expect([origin, codeOf({ headers: { origin } })]).toEqual([origin, "foreign-origin"]);
  for (const site of ["cross-site", "same-site", "anything"])
    expect([site, codeOf({ headers: { "sec-fetch-site": site } })]).toEqual([site, "foreign-origin"]);
});

test("headers that decide something stand there once", () => {
  expect(codeOf({ headers: { host: [own, "evil.example"] } })).toBe("repeated-header");
  expect(codeOf({ headers: { authorization: ["Bearer a", "Bearer b"] } })).toBe("repeated-header");
});

test("a path with anything to decode, climb or escape is not found", () => {
  const strange = [
    "/../etc/passwd",
    "/api/runs/%2e%2e",
    "/api\\runs",
    "//evil.example",
    "/api/runs/a\0",
    "http://evil.example/",
    "*",
    "",
  ];
  for (const url of strange) expect([url, codeOf({ url })]).toEqual([url, "not-found"]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[\w/-]*$/.test(text) && !text.includes("?"));
      expect(codeOf({ url: `/api/runs/${text}` })).toBe("not-found");
    }),
  );
});

test("only what changes something takes POST, and nothing else", () => {
  for (const method of ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
    expect([method, codeOf({ method })]).toEqual([method, "wrong-method"]);
  for (const method of ["GET", "PUT", "OPTIONS"])
    for (const url of ["/api/runs/a/undo", "/api/proposals/a/decide", "/api/proposals/a/reject"])
      expect([method, url, codeOf({ method, url })]).toEqual([method, url, "wrong-method"]);
  for (const url of ["/api/proposals", "/api/proposals/a", "/api/nights", "/api/proposals/a/b/adopt"])
    expect([url, codeOf({ method: "POST", url })]).toEqual([url, "wrong-method"]);
});

test("a change comes as a short JSON body of known length", () => {
  const post = (headers: Readonly<Record<string, string>>) =>
    codeOf({ method: "POST", url: "/api/runs/a/adopt", headers });
  expect(post(json)).toBeUndefined();
  expect(post({ "content-type": "application/json" })).toBe("length-missing");
  expect(post({ ...json, "transfer-encoding": "chunked" })).toBe("length-missing");
  expect(post({ ...json, "content-length": "65536" })).toBeUndefined();
  expect(post({ ...json, "content-length": "65537" })).toBe("body-too-large");
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/json, text/plain",
  ])
    expect([type, post({ ...json, "content-type": type })]).toEqual([type, "not-json"]);
  expect(codeOf({ headers: { "content-length": "3" } })).toBe("body-refused");
});
