import { seededRandom } from "../random.ts";

/** What a strictly greater mean of one trial per task makes of a candidate that is the incumbent itself. */
export interface StrictLuck {
  /** The share of such candidates that it accepts. */
  readonly accepted: number;
  /** The mean gain that it reports for those it accepts: fiction. */
  readonly gain: number;
}

const draws = 2000;

/** Draws both arms again and again from the trials that each task showed. */
export function strictLuck(trials: readonly (readonly number[])[], seed: number): StrictLuck {
  const tasks = trials.filter((scores) => scores.length > 0);
  const random = seededRandom("strict-luck", seed);
  const pick = (scores: readonly number[]) => scores[Math.floor(random() * scores.length)] ?? 0;
  let [accepted, gained] = [0, 0];
  for (let draw = 0; draw < draws; draw += 1) {
    const ahead = tasks.reduce((sum, scores) => sum + pick(scores) - pick(scores), 0);
    // sums of the same scores in another order may differ by this much
    if (ahead <= 1e-9) continue;
    accepted += 1;
    gained += ahead / tasks.length;
  }
  return { accepted: accepted / draws, gain: accepted === 0 ? 0 : gained / accepted };
}
