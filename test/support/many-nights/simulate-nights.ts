import { seededRandom } from "../../../src/core/random.ts";
import {
  countNight,
  freshTasks,
  tallyOf,
  verdictOn,
  withNight,
} from "../../../src/core/sleep/rules/evidence.ts";
import type { MinedTask } from "../../../src/core/sleep/mine/mined-task.ts";
import type { Rule } from "../../../src/core/sleep/rules/rule.ts";

/** Chances with which the incumbent passes a task, each as likely as the others. */
export const difficulties = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6] as const;

export interface Series {
  readonly seed: number;
  /** Fresh val tasks a night. */
  readonly val: number;
  readonly trials: number;
  /** What the rule adds to the chance of every task, cut at 0 and 1. */
  readonly effect: number;
  readonly nights: number;
}

export interface SeriesEnd {
  readonly status: "proven" | "rejected" | "dropped" | "open";
  /** The night on which it ended. */
  readonly night: number;
  /** Times that a proven rule did not hold when it was drawn once more, and went back to open. */
  readonly returned: number;
}

/** One rule over nights, counted by the same code as a real night; a proof must hold once more on a fresh draw. */
export function simulateNights({ seed, val, trials, effect, nights }: Series): SeriesEnd {
  const random = seededRandom("many-nights", seed, val, trials, effect);
  let rule = newRule;
  let returned = 0;
  for (let night = 1; night <= nights; night += 1) {
    const tasks = Array.from({ length: val }, (_, index) => taskOf(`n${night}-${index}`));
    const chances = tasks.map(() => difficulties[Math.floor(random() * difficulties.length)] ?? 0);
    const draw = (chance: number) => Array.from({ length: trials }, () => (random() < chance ? 1 : 0));
    const evidence = () =>
      countNight(
        `n${night}`,
        freshTasks(rule, tasks).map(({ task }, index) => {
          const chance = chances[index] ?? 0;
          return { task: task.id, incumbent: draw(chance), candidate: draw(chance + effect) };
        }),
      );
    const together = evidence();
    rule = withNight(rule, evidence());
    const verdict = verdictOn(tallyOf(rule));
    if (verdict === "proven" && together.wins <= together.losses) returned += 1;
    else if (verdict !== "open") return { status: verdict, night, returned };
  }
  return { status: "open", night: nights, returned };
}

const newRule: Rule = {
  id: "rule",
  document: "skill:simulated",
  edit: { op: "add", text: "A rule." },
  origin: "learned",
  provenance: { conversations: ["first", "second"], tasks: [] },
  nights: [],
  status: "open",
  reason: "",
};

const taskOf = (id: string): MinedTask => ({
  task: { id, input: id, answers: ["yes"] },
  kind: "task",
  seen: [`conversation of ${id}`],
  outcome: "unknown",
  evidence: [],
  scope: "project",
  paraphrases: [],
});
