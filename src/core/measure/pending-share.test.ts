import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import type { Rolled } from "../stages/rollout.ts";
import { checkPendingShare } from "./pending-share.ts";

const scored = { kind: "scored", hard: 1, soft: 1, feedback: "", conversation: [] } as const;
const pending = { kind: "pending", cause: { class: "transport", message: "HTTP 500" } } as const;

/** A stage of so many results, of which the first ones are missing. */
const stage = (results: number, missing = 0): readonly Rolled[] =>
  Array.from({ length: results }, (_, at) => ({
    task: { id: `t${at}`, input: "?", answers: ["!"] },
    outcome: at < missing ? pending : scored,
  }));

/** Which of these stages of one run stops it, from 1; with the error's sentence. */
async function stopsAt(maxPendingShare: number, ...stages: readonly (readonly Rolled[])[]) {
  const context = await scriptedContext(() => "", { maxPendingShare });
  for (const [at, rolled] of stages.entries()) {
    try {
      checkPendingShare(rolled, "evaluate", context);
    } catch (error) {
      return `${at + 1}: ${(error as Error).message}`;
    }
  }
  return undefined;
}

test("one missing result of a stage of three stops no run, neither in the first stage nor later", async () => {
  expect(await stopsAt(0.1, stage(3, 1))).toBeUndefined();
  expect(await stopsAt(0.1, stage(40), stage(3, 1), stage(3, 1), stage(3))).toBeUndefined();
});

test("small stages that miss some every time stop the run once the share is reached", async () => {
  expect(await stopsAt(0.1, stage(12), stage(3, 1), stage(3, 1), stage(3))).toMatch(
    /^3: 1 of 3 results in stage evaluate are missing, 2 of 18 in this run \(tasks t0\)/,
  );
});

test("a provider that is dead stops the run in its first stage, and in a later one of any size", async () => {
  expect(await stopsAt(0.1, stage(3, 2))).toMatch(/^1: 2 of 3 results/);
  expect(await stopsAt(0.1, stage(1000), stage(3, 3))).toMatch(/^2: 3 of 3 results/);
  expect(await stopsAt(0.1, stage(1000), stage(40, 5))).toMatch(/^2: 5 of 40 results/);
});

test("a share of 0 allows no missing result, and a share of 1 any", async () => {
  expect(await stopsAt(0, stage(100), stage(100, 1))).toMatch(/^2: /);
  expect(await stopsAt(1, stage(3, 3), stage(3, 3))).toBeUndefined();
});
