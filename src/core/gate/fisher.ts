import { binomial } from "./claim/claim-limits.ts";

export interface PassCount {
  readonly passed: number;
  readonly trials: number;
}

/** Fisher's exact p for "the second passes less often than the first": one-sided, with both totals fixed. */
export function fisherP(first: PassCount, second: PassCount): number {
  const passed = first.passed + second.passed;
  const all = binomial(first.trials + second.trials, passed);
  let asFew = 0;
  for (let own = Math.max(passed - first.trials, 0); own <= second.passed; own += 1) {
    asFew += binomial(second.trials, own) * binomial(first.trials, passed - own);
  }
  return Math.min(asFew / all, 1);
}
