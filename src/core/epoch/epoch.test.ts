import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { buildLeakIndex } from "../guard/leak-index.ts";
import { readRegion } from "../skill/regions.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import {
  type EpochBoundary,
  type LongitudinalPair,
  labelPair,
  longitudinalPairs,
  pairSection,
} from "./longitudinal-pairs.ts";
import { metaSkill } from "./cross-epoch.ts";
import { slowUpdate } from "./slow-update.ts";

const scored = (hard: number): Scored => ({
  kind: "scored",
  hard,
  soft: hard,
  feedback: "",
  conversation: [],
});
const tasks: readonly Task[] = Array.from({ length: 8 }, (_, at) => ({
  id: `t${at}`,
  input: `question ${at}`,
  answers: ["right"],
}));
const pair = (label: LongitudinalPair["label"], before: number, after: number): LongitudinalPair => ({
  task: tasks[0]!,
  label,
  before: scored(before),
  after: scored(after),
});
const [old, now] = [singleFileSkill("old\n"), singleFileSkill("new\n")];
const leaks = buildLeakIndex([]);
const at = (step: number, more: Partial<EpochBoundary> = {}): EpochBoundary => ({
  epoch: 2,
  step,
  isLast: false,
  previous: old,
  current: now,
  train: tasks,
  tried: [],
  meta: "",
  leaks,
  ...more,
});
const fallen = [pair("regressed", 1, 0)];

test("pairs are labelled by what changed", () => {
  expect(labelPair(scored(0), scored(1))).toBe("improved");
  expect(labelPair(scored(1), scored(0.5))).toBe("regressed");
  expect(labelPair(scored(0), scored(0))).toBe("persistent failure");
  expect(labelPair(scored(1), scored(1))).toBe("stable success");
});

test("both skills are rolled out on the same sample, fresh for every epoch", async () => {
  const context = await scriptedContext(
    (request) => (request.system?.startsWith("new") === true ? "right" : "wrong"),
    {
      slowUpdateSamples: 5,
    },
  );
  const pairs = await longitudinalPairs(at(3), context);
  expect(pairs).toHaveLength(5);
  expect(pairs.every(({ label }) => label === "improved")).toBe(true);
  expect(context.requests).toHaveLength(10);
});

test("pairs are counted, and read where something fell or still fails", () => {
  const pairs = [pair("stable success", 1, 1), pair("persistent failure", 0, 0), pair("regressed", 1, 0)];
  const text = pairSection(pairs);
  expect(text).toContain("3 tasks: 1 regressed, 1 persistent failure, 0 improved, 1 stable success.");
  expect(text.indexOf("[regressed]")).toBeLessThan(text.indexOf("[persistent failure]"));
  expect(text).not.toContain("[stable success]");
});

test("guidance lands in its protected block and replaces the earlier one", async () => {
  const context = await scriptedContext((_, nth) => JSON.stringify({ guidance: `Stay brief, ${nth}.` }));
  const first = await slowUpdate(at(3), fallen, context);
  expect(readRegion(mainText(first!), "slow-update")).toBe("Stay brief, 1.");
  const second = await slowUpdate(at(4, { current: first! }), fallen, context);
  expect(readRegion(mainText(second!), "slow-update")).toBe("Stay brief, 2.");
  expect(context.requests[1]?.messages[0]?.content).toContain("Stay brief, 1.");
  const fate = "guidance, rejected: not better";
  const edits = [{ op: "append", content: "Stay calm.", evidence: [], fate }] as const;
  await slowUpdate(at(5, { tried: [{ step: 4, patterns: [], edits }] }), fallen, context);
  expect(context.requests[2]?.messages[0]?.content).toContain(`append "Stay calm.": ${fate}`);
});

test.each(["", "a\u200Bb", "<!-- whetstone:appendix:end -->", "When unsure, ask the user for the range."])(
  "guidance %j is not taken",
  async (guidance) => {
    const context = await scriptedContext(() => JSON.stringify({ guidance }));
    expect(await slowUpdate(at(3), fallen, context)).toBeUndefined();
  },
);

test("the meta skill is the optimizer's own memory, and an unusable one keeps the old", async () => {
  const context = await scriptedContext((_, nth) => (nth === 1 ? '{"memory":"Deletions help."}' : "no"));
  const memory = await metaSkill(at(3), [], context);
  expect(memory).toBe("Deletions help.");
  expect(contractOf(context.requests[0]!)).toBe("meta_skill");
  expect(await metaSkill(at(4, { meta: memory }), [], context)).toBe(memory);
});
