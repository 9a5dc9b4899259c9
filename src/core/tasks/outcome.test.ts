import { expect, test } from "vitest";
import { withinLimits } from "./outcome.ts";

const outcome = {
  kind: "scored",
  hard: 1,
  soft: 0.8,
  feedback: "All passed.",
  conversation: [],
  used: { tokens: 1, turns: 1, toolCalls: 0, ms: 2100, nanoUsd: 20_000_000 },
} as const;

test("a rollout beyond its task's limit doesn't pass, and one within does", () => {
  expect(withinLimits(outcome, { seconds: 2.1, usd: 0.02 })).toEqual(outcome);
  for (const limits of [{ seconds: 2 }, { usd: 0.019 }])
    expect(withinLimits(outcome, limits)).toMatchObject({
      hard: 0,
      soft: 0.8,
      feedback: "It took 2.1 s and $0.02, more than its task allows. All passed.",
    });
  // how long a batch took isn't known
  const { ms: _, ...untimed } = outcome.used;
  expect(withinLimits({ ...outcome, used: untimed }, { seconds: 1 })).toMatchObject({ hard: 1 });
});
