import type { Context } from "../context.ts";
import { InfraError } from "../errors.ts";
import { type UnitHandler, unitHandler } from "./handlers.ts";
import { environmentKind } from "./unit-kinds.ts";
import { noCost } from "../cost.ts";
import { invalidTask, runInContext } from "../stages/rollout.ts";

/** `environment@1`: a custom environment on one task. Calls it makes to the target are units of their own. */
export function environmentUnit(context: () => Context): UnitHandler {
  return unitHandler(environmentKind, {
    lane: () => `environment ${context().environment.name}`,
    worst: () => noCost,
    async run({ task, skill, split, draw }, { place }) {
      const current = context();
      try {
        const outcome = await runInContext(task, skill, { split, draw, place }, current);
        if (outcome.kind === "scored" && [outcome.hard, outcome.soft].every(isScore))
          return { output: outcome, cost: noCost };
        // neither may be journaled: the one is tried again, the other must be mended first
        if (outcome.kind === "scored")
          throw invalidTask(
            task,
            `the environment gave hard ${outcome.hard} and soft ${outcome.soft} instead of scores from 0 to 1`,
          );
        if (outcome.kind === "invalid") throw invalidTask(task, outcome.reason);
        throw new InfraError(outcome.cause.class, outcome.cause.message);
      } catch (error) {
        if (isOurs(error) || current.signal.aborted) throw error;
        throw invalidTask(task, `the environment threw ${String(error)}`);
      }
    },
  });
}

const isScore = (score: number): boolean => score >= 0 && score <= 1;

const isOurs = (error: unknown): boolean =>
  error instanceof Error && (error.name === "InfraError" || error.name === "WhetstoneError");
