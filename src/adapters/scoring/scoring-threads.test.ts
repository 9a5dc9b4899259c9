import { expect, test } from "vitest";
import { scoringThreads } from "./scoring-threads.ts";

const slow = { kind: "regex", value: "^(a|a)*b$" };

test("a thread gives the verdict that this thread would give", async () => {
  const score = scoringThreads({ most: 2 });
  const verdicts = await Promise.all(
    Array.from({ length: 20 }, (_, at) => score({ kind: "regex", value: `^x{${at}}$` }, "x".repeat(10))),
  );
  expect(verdicts.map((verdict) => "pass" in verdict && verdict.pass)).toEqual(
    Array.from({ length: 20 }, (_, at) => at === 10),
  );
  expect(await score({ kind: "json-schema", value: { type: "array" } }, "[1]")).toMatchObject({ pass: true });
  expect(await score({ kind: "regex", value: "(" }, "x")).toMatchObject({ kind: "invalid" });
});

test("what has no verdict in time is unread, and the next question is answered", async () => {
  const score = scoringThreads({ most: 1 });
  const nested = {
    $defs: { n: { anyOf: ["a", "b"].map(() => ({ items: { $ref: "#/$defs/n" }, minItems: 1 })) } },
  };
  const deep = `${"[".repeat(60)}${"]".repeat(60)}`;
  const [first, second, third] = await Promise.all([
    score(slow, "a".repeat(40)),
    score({ kind: "json-schema", value: { ...nested, $ref: "#/$defs/n" } }, deep),
    score({ kind: "regex", value: "^a+$" }, "aaa"),
  ]);
  expect(first).toMatchObject({ pass: false, unread: true });
  expect(second).toMatchObject({ pass: false, unread: true });
  expect(third).toMatchObject({ pass: true });
});

test("where the thread's file is missing, all is scored here", async () => {
  const score = scoringThreads({ file: new URL("./no-such-file.js", import.meta.url) });
  const verdicts = await Promise.all(["a", "b"].map((text) => score({ kind: "regex", value: "^a+$" }, text)));
  expect(verdicts).toMatchObject([{ pass: true }, { pass: false }]);
});
