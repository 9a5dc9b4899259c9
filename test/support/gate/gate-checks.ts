import type { JobResult } from "./gate-jobs.ts";
import { cellName, falseAcceptLimit, groupByCell } from "../gate-tables.ts";

/** What falls short of the claim, cell by cell; none means shown. */
export function gateShortfalls(results: readonly JobResult[]): string[] {
  return [
    ...results.flatMap(claimShortfalls),
    ...searchShortfalls(results),
    ...results.flatMap(sealedShortfalls),
  ];
}

/** At least this share of the candidate's rollouts is saved, by effect in points. */
const leastSaved = new Map([
  [0, 0.2],
  [-10, 0.35],
]);

function claimShortfalls(job: JobResult): string[] {
  if (job.kind !== "claim" || job.result.refused) return [];
  const { cell, result } = job;
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

function searchShortfalls(results: readonly JobResult[]): string[] {
  const searches = results.filter((result) => result.kind === "search");
  return groupByCell(searches).flatMap(([name, group]) => {
    const ours = group.find(({ gate }) => gate === "filter");
    const reference = group.find(({ gate }) => gate === "reference");
    if (ours === undefined || reference === undefined) return [];
    const { gain, error } = ours.result;
    const doubt = 2 * Math.hypot(error, reference.result.error);
    const words = [];
    if (ours.table === "main" && gain < reference.result.gain - doubt) {
      words.push(`${name}: ours gains ${gain.toFixed(2)}, the reference ${reference.result.gain.toFixed(2)}`);
    }
    if (ours.table === "weak" && gain < -2 * error) {
      words.push(`${name}: ours ends below the original, at ${gain.toFixed(2)} (${error.toFixed(2)})`);
    }
    return words;
  });
}

function sealedShortfalls(job: JobResult): string[] {
  if (job.kind !== "sealed") return [];
  const { cell, repetitions, result } = job;
  // few runs can only show it within their own error
  const doubt = repetitions < 400 ? 3 * result.error : 0;
  const most = 0.05 + (repetitions < 400 ? 3 * Math.sqrt((0.05 * 0.95) / repetitions) : 0);
  return [
    ...(Math.abs(result.bias) > 1 + doubt
      ? [`${cellName(cell)}: the sealed number is off by ${result.bias.toFixed(2)} points`]
      : []),
    ...(result.falselyAdopted > most
      ? [`${cellName(cell)}: ${result.falselyAdopted} of the runs adopt falsely`]
      : []),
  ];
}
