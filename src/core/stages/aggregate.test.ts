import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import type { RawPatch } from "../skill/edit.ts";
import { singleFileSkill } from "../skill/skill.ts";
import { aggregate } from "./aggregate.ts";
import { sidesOf } from "./reflect.ts";

const skill = singleFileSkill("# Skill\n");
const place = { role: "optimizer", step: 1, stage: "aggregate" } as const;
const patch = (source: "failure" | "success", ...contents: string[]): RawPatch => ({
  source,
  reasoning: `${source} reasoning`,
  taskIds: contents,
  patterns: [],
  edits: contents.map((content) => ({ op: "append", content, evidence: [content], source, support: 1 })),
});
const input = (patches: readonly RawPatch[]) => ({
  skill,
  sides: sidesOf(Promise.resolve(patches)),
  budget: 4,
  contracts: "",
  meta: "",
  place,
});
const reply = (...contents: string[]) =>
  JSON.stringify({
    edits: contents.map((content) => ({ op: "append", content, evidence: [content] })),
    ranked: true,
  });

test("a single patch passes without a call", async () => {
  const context = await scriptedContext(() => "");
  const merged = await aggregate(input([patch("failure", "a")]), context);
  expect(merged.edits.map(({ content }) => content)).toEqual(["a"]);
  expect(context.requests).toHaveLength(0);
});

test("sides merge apart, then together", async () => {
  const context = await scriptedContext((request) => reply(contractOf(request)));
  await aggregate(
    input([patch("failure", "a"), patch("failure", "b"), patch("success", "c"), patch("success", "d")]),
    context,
  );
  expect(context.requests.map(contractOf)).toEqual(["merge_failure", "merge_success", "merge_final"]);
});

test("nine patches need two levels", async () => {
  const context = await scriptedContext(() => reply("x"));
  await aggregate(input(Array.from("abcdefghi", (content) => patch("failure", content))), context);
  expect(context.requests).toHaveLength(2);
});

test("an unusable merge becomes a concatenation, failures first, each edit once", async () => {
  const context = await scriptedContext(() => "no");
  const merged = await aggregate(input([patch("success", "a", "b"), patch("failure", "b", "c")]), context);
  expect(merged.edits.map(({ content, source }) => [content, source])).toEqual([
    ["b", "failure"],
    ["c", "failure"],
    ["a", "success"],
  ]);
  expect(merged.ranked).toBe(false);
});

test("a merged edit keeps its evidence and source, and may not invent evidence", async () => {
  const context = await scriptedContext(() =>
    JSON.stringify({ edits: [{ op: "append", content: "ab", evidence: ["a", "b", "stranger"] }] }),
  );
  const merged = await aggregate(input([patch("failure", "a"), patch("failure", "b")]), context);
  expect(merged.edits).toEqual([
    {
      op: "append",
      content: "ab",
      evidence: ["a", "b"],
      support: 2,
      source: "failure",
      mergeLevel: 1,
      origin: "analyst",
    },
  ]);
});
