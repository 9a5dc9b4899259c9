import { expect, test } from "vitest";
import { trainSkill } from "../src/core/loop/train.ts";
import type { TrainSettings } from "../src/core/settings.ts";
import { singleFileSkill } from "../src/core/skill/skill.ts";
import type { Task } from "../src/core/tasks/task.ts";
import { contractOf, scriptedContext } from "./support/scripted-context.ts";

const tasksOf = (split: string, count: number): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${split}${at}`,
    input: `${split} question ${at}`,
    answers: [`${split}-answer-${at}`],
  }));
const skill = singleFileSkill("# Desk\n\n- Be brief.\n");

/** What the optimizer is asked in a training, by contract. */
async function askedIn(
  answer: (contract: string, nth: number) => unknown,
  reply: (skill: string, question: string) => string,
  settings: Partial<TrainSettings> = {},
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = new Map<string, string[]>();
  const context = await scriptedContext(
    (request) => {
      const contract = contractOf(request);
      const user = request.messages.at(-1)?.content ?? "";
      if (contract === "") return reply(request.system ?? "", user);
      asked.set(contract, [...(asked.get(contract) ?? []), user]);
      return JSON.stringify(answer(contract, asked.get(contract)?.length ?? 0));
    },
    { gate: "strict", epochs: 1, batchSize: 4, baselines: false, evalTest: false, ...settings },
  );
  const splits = { train: tasksOf("train", 8), val: tasksOf("val", 6), test: tasksOf("test", 4) };
  await trainSkill({ skill, splits }, context);
  return asked;
}

const appended = (content: string) => ({ op: "append", content, evidence: [] });

test("what became of an edit reaches the next step's analyst", async () => {
  const proposed = [
    appended("- Look twice."),
    { op: "replace", target: "Be long.", content: "Be wordy.", evidence: [] },
    appended("- val question 3: val-answer-3"),
  ];
  const asked = await askedIn(
    (contract, nth) => ({ reasoning: "", edits: contract === "analyst_error" && nth === 1 ? proposed : [] }),
    () => "wrong",
  );
  const [first = "", second = ""] = asked.get("analyst_error") ?? [];
  expect(first).not.toContain("# Earlier steps");
  expect(second.split("\n").filter((line) => line.startsWith("- step 1"))).toEqual([
    '- step 1, append "- Look twice.": rejected: 0.0 % on val against 0.0 %: not better',
    `- step 1, append "- val question 3: val-answer-3": refused: It contains a task's answer or check instead of a general rule.`,
    '- step 1, replace "Be long." with "Be wordy.": refused: The target was not found.',
  ]);
});
