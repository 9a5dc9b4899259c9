import { falseAcceptLimit } from "../gate-tables.ts";
import type { JobResult } from "./gate-jobs.ts";

/** At least this share of the candidate's rollouts is saved, by effect in points. */
const leastSaved = new Map([
  [0, 0.2],
  [-10, 0.35],
]);

/** What falls short of the claim in a cell; none means shown. */
export function claimShortfalls({ cell, result }: JobResult): string[] {
  if (result.refused) return [];
  const name = `${cell.tasks} × ${cell.trials} at ${cell.effect} points (${cell.kind})`;
  const limit = falseAcceptLimit(cell.decisions);
  const least = cell.kind === "even" ? leastSaved.get(cell.effect) : undefined;
  return [
    ...(cell.effect <= 0 && result.accepted > limit
      ? [`${name}: false accepts ${result.accepted}, limit ${limit}`]
      : []),
    ...(result.changed > 0 ? [`${name}: the exact stop changed ${result.changed} decisions`] : []),
    ...(least !== undefined && result.saved < least
      ? [`${name}: the exact stop saved ${result.saved}, expected ${least}`]
      : []),
  ];
}
