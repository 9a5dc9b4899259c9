import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type Drift, driftBetween } from "../gate/claim/drift.ts";
import { seededRandom, shuffle } from "../random.ts";
import type { Skill } from "../skill/skill.ts";
import { type Evaluation, gateScoreOf } from "./evaluate.ts";
import { type Rolled, rollout } from "../stages/rollout.ts";

/** Rollouts at most: enough to see a move of some points. */
export const mostAgain = 60;

const place: Place = { role: "target", step: 0, stage: "test" };

/**
 * The original once more at the end of a run, on tasks of its first measurement: what differs is the provider's doing.
 * Undefined when no result came.
 */
export async function measureAgain(
  original: Skill,
  first: Evaluation,
  context: Context,
): Promise<Drift | undefined> {
  const { settings } = context;
  const again = shuffle(first.rolled, seededRandom("drift", settings.seed)).slice(0, mostAgain);
  const tasks = again.map(({ task }) => task);
  const plan = { split: "val", draw: { purpose: "drift", trial: 0 }, place } as const;
  const later = await Promise.all(rollout(original, tasks, plan, context));
  const scores = ({ outcome }: Rolled) => gateScoreOf(outcome, settings);
  const both = again.flatMap((one, at) => {
    const [before, after] = [scores(one), later[at] === undefined ? null : scores(later[at])];
    return before === null || after === null ? [] : [{ before, after }];
  });
  if (both.length === 0) return undefined;
  return driftBetween(
    both.map(({ before }) => before),
    both.map(({ after }) => after),
  );
}
