import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { seededRandom, shuffle } from "../random.ts";
import type { Skill } from "../skill/skill.ts";
import { type Evaluation, gateScoreOf } from "./evaluate.ts";
import type { ClaimEvidence } from "../evidence.ts";
import { type Rolled, rollout } from "../stages/rollout.ts";

/** The most rollouts: enough to see a move of a few points. */
export const mostAgain = 60;

const place: Place = { role: "target", step: 0, stage: "test" };

/**
 * Measures the original again at the end of a run, on tasks of its first measurement. Any difference comes from the
 * provider. Returns both scores of each task that has them.
 */
export async function measureAgain(
  original: Skill,
  first: Evaluation,
  context: Context,
): Promise<NonNullable<ClaimEvidence["again"]>> {
  const { settings } = context;
  const again = shuffle(first.rolled, seededRandom("drift", settings.seed)).slice(0, mostAgain);
  const tasks = again.map(({ task }) => task);
  const plan = { split: "val", draw: { purpose: "drift", trial: 0 }, place } as const;
  const later = await Promise.all(rollout(original, tasks, plan, context));
  const scores = ({ outcome }: Rolled) => gateScoreOf(outcome, settings);
  return again.flatMap((one, at) => {
    const [before, after] = [scores(one), later[at] === undefined ? null : scores(later[at])];
    return before === null || after === null ? [] : [{ before, after }];
  });
}
