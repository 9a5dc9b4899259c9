import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { seededRandom } from "../../core/random.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import { nightOf, proposeRules, tasksOf } from "../../../test/support/night-input.ts";
import { consolidateNight } from "./night.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";

/** Tasks whose answers only a judge can tell. */
const judged = (name: string, count: number): readonly MinedTask[] =>
  tasksOf(name, count).map((mined) => ({
    ...mined,
    task: {
      id: mined.task.id,
      input: mined.task.input,
      checks: [{ kind: "rubric", value: "It is helpful." }],
    },
  }));

/** Nights until a rule that changes nothing is proven, or the series ends; a judge that throws dice. */
async function runSeries(seed: number, nights: number): Promise<LearnedRule["status"] | undefined> {
  const random = seededRandom("placebo", seed);
  const context = await scriptedContext((request) => {
    const contract = contractOf(request);
    if (contract === "judge") return JSON.stringify({ reason: "", score: random() });
    // the same answer in both arms would be judged once
    return contract === "" ? `All right, number ${random()}.` : proposeRules(request, "- Be excellent.");
  });
  let rules: readonly LearnedRule[] = [];
  for (let night = 1; night <= nights; night += 1) {
    const input = nightOf({ night: `n${night}`, rules, val: judged(`val-${night}`, 4) });
    const train = judged(`train-${night}`, 2);
    const tasks = new Map([...input.tasks].map(([id, own]) => [id, { ...own, train }]));
    ({ rules } = await consolidateNight({ ...input, tasks }, { ...context, settings: soft(context) }));
    if (rules[0]?.status !== "open") break;
  }
  return rules[0]?.status;
}

/** The judge's very number counts, so that hardly a task is tied. */
const soft = ({ settings }: Awaited<ReturnType<typeof scriptedContext>>) =>
  ({ ...settings, metric: "soft" }) as const;

test("fault 1: a placebo under a judge that throws dice is proven in at most a tenth of all series", async () => {
  const statuses: (LearnedRule["status"] | undefined)[] = [];
  for (let seed = 1; seed <= 40; seed += 1) statuses.push(await runSeries(seed, 10));
  const proven = statuses.filter((status) => status === "proven").length;
  expect(statuses).toHaveLength(40);
  // something was really decided
  expect(statuses.filter((status) => status === "rejected" || status === "dropped").length).toBeGreaterThan(
    3,
  );
  expect(proven).toBeLessThanOrEqual(4);
});
