import { expect, test } from "vitest";
import type { Rolled } from "../stages/rollout.ts";
import type { Task } from "../tasks/task.ts";
import type { Used } from "../used.ts";
import { armCosts, pairedUses } from "./arm-costs.ts";
import { claimPairs } from "./claim-pairs.ts";
import type { Trials } from "./trials.ts";

const words = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"];
const tasks: readonly Task[] = words.map((word, at) => ({
  id: word,
  input: `${word} ${words[(at + 3) % 8]}`,
  answers: ["x"],
}));

const arm = (used: (task: number, trial: number) => Partial<Used> | undefined, trials = 1): Trials => ({
  scores: tasks.map(() => Array.from({ length: trials }, () => 1)),
  rolled: Array.from({ length: trials }, (_, trial) =>
    tasks.map((task, at): Rolled => {
      const own = used(at, trial);
      const scored = { kind: "scored", hard: 1, soft: 1, feedback: "", conversation: [] } as const;
      const usual = { tokens: 100, nanoUsd: 0, turns: 1, toolCalls: 0, ms: 10 };
      return own === undefined
        ? { task, outcome: { kind: "pending", cause: { class: "transport", message: "" } } }
        : { task, outcome: { ...scored, used: { ...usual, ...own } } };
    }),
  ),
});

const costs = (before: Trials, after: Trials, more: { maxCost?: number; tasks?: readonly Task[] } = {}) =>
  armCosts({
    alpha: 0.05,
    pairs: claimPairs(more.tasks ?? tasks, before.scores, after.scores),
    uses: pairedUses(before, after),
    skillTokens: { before: 2, after: 2 },
    maxCost: more.maxCost,
  });

test("means are by task and weight, and what has no price or no tool has no row", () => {
  const heavy = tasks.map((task, at) => (at === 0 ? { ...task, weight: 9 } : task));
  const found = costs(
    arm(() => ({})),
    arm((task) => ({ tokens: task === 0 ? 200 : 100 })),
    { tasks: heavy },
  );
  expect(found?.tokens).toMatchObject({ before: 100, after: 100 + (100 * 9) / 16 });
  expect(found?.nanoUsd).toBeUndefined();
  expect(found?.toolCalls).toBeUndefined();
});

test("a pair without both results is no pair, and times that somebody lacks are not shown", () => {
  const found = costs(
    arm((task) => (task < 2 ? undefined : {})),
    arm((task) => (task === 7 ? { ms: undefined } : {})),
  );
  expect(found?.pairs).toBe(6);
  expect(found?.ms).toBeUndefined();
});

test("below twelve tasks trials are pairs of their own, and the words say so", () => {
  const few = costs(
    arm(() => ({}), 4),
    arm((_, trial) => ({ tokens: 105 + trial }), 4),
    { maxCost: 0.1 },
  );
  expect(few).toMatchObject({
    scope: "these tasks",
    pairs: 32,
    objective: { of: "tokens", found: "within" },
  });
  const once = costs(
    arm(() => ({})),
    arm(() => ({ tokens: 200 })),
    { maxCost: 0.1 },
  );
  expect(once).toMatchObject({ scope: "tasks like these", objective: { found: "above" } });
});

test("an objective that nobody could look at is not kept; without one nothing is said", () => {
  const nothing = arm(() => undefined);
  expect(costs(nothing, nothing)).toBeUndefined();
  expect(costs(nothing, nothing, { maxCost: 0.1 })?.objective).toMatchObject({ found: "open", p: 1 });
});
