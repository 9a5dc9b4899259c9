import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { singleFileSkill } from "../skill/skill.ts";
import type { Scored } from "../tasks/outcome.ts";
import { type Attempts, chooseInformative, contrast } from "./contrast.ts";

const place = { role: "optimizer", step: 1, stage: "reflect" } as const;
const outcome = (hard: number): Scored => ({
  kind: "scored",
  hard,
  soft: hard,
  feedback: `scored ${hard}`,
  conversation: [{ role: "assistant", content: `answer worth ${hard}` }],
});
const attempts = (id: string, ...scores: number[]): Attempts => ({
  task: { id, input: id, answers: ["x"] },
  outcomes: scores.map(outcome),
});
const input = (...all: Attempts[]) => ({
  skill: singleFileSkill("# Skill\n"),
  attempts: all,
  budget: 2,
  tried: [],
  meta: "",
  place,
});

test("the tasks with the widest spread are chosen, six at most", () => {
  const many = Array.from("abcdefgh", (id, at) => attempts(id, 0, at / 10));
  expect(chooseInformative(many).map(({ task }) => task.id)).toEqual(["h", "g", "f", "e", "d", "c"]);
});

test("tasks whose attempts agree tell nothing, and nobody is asked", async () => {
  const context = await scriptedContext(() => "");
  expect(await contrast(input(attempts("a", 1, 1), attempts("b", 0, 0)), context)).toBeUndefined();
  expect(context.requests).toHaveLength(0);
});

test("the optimizer sees the best and the worst attempt and may claim only these tasks", async () => {
  const reply = { edits: [{ op: "append", content: "- rule", evidence: ["a", "stranger"] }] };
  const context = await scriptedContext(() => JSON.stringify(reply));
  const patch = await contrast(input(attempts("a", 0.2, 1, 0)), context);
  expect(contractOf(context.requests[0]!)).toBe("contrastive");
  const asked = context.requests[0]?.messages[0]?.content ?? "";
  expect(asked).toContain("answer worth 1");
  expect(asked).toContain("answer worth 0");
  expect(asked).not.toContain("answer worth 0.2");
  expect(patch?.edits).toMatchObject([{ content: "- rule", evidence: ["a"], source: "failure" }]);
});

test("no edits fall back to plain reflection", async () => {
  const context = await scriptedContext(() => '{"edits":[]}');
  expect(await contrast(input(attempts("a", 0, 1)), context)).toBeUndefined();
});
