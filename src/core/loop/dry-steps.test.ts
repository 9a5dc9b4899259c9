import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import type { TrainSettings } from "../settings.ts";
import { singleFileSkill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { trainSkill } from "./train.ts";

const tasksOf = (split: string, count: number): readonly Task[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${split}${at}`,
    input: `${split} question ${at}`,
    answers: [`${split}-answer-${at}`],
  }));

const said = { op: "append", content: "- Be brief.", evidence: [] };
const lost = { op: "replace", target: "Be long.", content: "Be wordy.", evidence: [] };

/** A training of steps whose nth analyst proposes this, and what the analysts were told of earlier steps. */
async function trainOn(propose: (nth: number) => readonly unknown[], settings: Partial<TrainSettings>) {
  const told: string[] = [];
  const context = await scriptedContext(
    (request) => {
      const contract = contractOf(request);
      if (contract === "") return "wrong";
      if (contract !== "analyst_error") return JSON.stringify({ reasoning: "", edits: [] });
      told.push(request.messages.at(-1)?.content ?? "");
      return JSON.stringify({ reasoning: "", edits: propose(told.length) });
    },
    {
      epochs: 4,
      batchSize: 4,
      minibatchSize: 4,
      baselines: false,
      evalTest: false,
      metaSkill: false,
      ...settings,
    },
  );
  const splits = { train: tasksOf("train", 8), val: tasksOf("val", 6), test: tasksOf("test", 4) };
  const skill = singleFileSkill("# Desk\n\n- Be brief.\n");
  return { told, trained: await trainSkill({ skill, splits }, context) };
}

test.each(["strict", "rules"] as const)(
  "gate %s: two dry steps are named to the optimizer, and four end the search",
  async (gate) => {
    const { told, trained } = await trainOn(() => [said, lost], { gate });
    const [, second = "", third = "", fourth = ""] = told;
    expect(second).not.toContain("could be applied");
    expect(third).toContain("No edit of the last 2 steps could be applied, for the reasons given below.");
    expect(fourth).toContain("No edit of the last 3 steps could be applied");
    expect(trained.steps.map(({ action }) => action)).toEqual(["skip", "skip", "skip", "skip"]);
    expect([trained.planned, trained.ended]).toEqual([8, "no edit of the last 4 steps could be applied"]);
  },
);

test("an edit that the skill has already is listed where nothing else came of a step", async () => {
  const line = '- step 1, append "- Be brief.": refused: The text says this at that place already.';
  const alone = await trainOn((nth) => (nth === 1 ? [said] : []), { gate: "strict" });
  expect(alone.told[1]).toContain(line);
  const beside = [said, { ...said, content: "- Look twice." }];
  const together = await trainOn((nth) => (nth === 1 ? beside : []), { gate: "strict" });
  expect(together.told[1]).not.toContain(line);
});

test("a step that applies an edit begins the count again, and one without a proposal doesn't", async () => {
  const propose = (nth: number) => {
    if (nth === 3) return [{ ...said, content: "- Look twice." }];
    return nth === 5 ? [] : [lost];
  };
  const { trained } = await trainOn(propose, { gate: "strict" });
  // dry: 1 and 2, then 4, 6, 7 and 8
  expect(trained.steps).toHaveLength(8);
  expect(trained.ended).toBeUndefined();
  const sooner = await trainOn((nth) => (nth === 2 ? [] : [lost]), { gate: "strict" });
  expect(sooner.trained.steps).toHaveLength(5);
});

test("`more` goes on after a search that ran dry", async () => {
  const { trained } = await trainOn(() => [lost], { gate: "rules", more: 1 });
  expect(trained.steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 9, 10]);
});
