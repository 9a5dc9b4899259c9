import { type Family, families } from "./rule-cells.ts";
import type { Gain, RuleCellResult } from "./rule-results.ts";

/** Where effects add up, so that intervals can be asked to hold. */
const additive: ReadonlySet<Family> = new Set(["mild", "hostile", "graded", "drifting", "rich"]);

/** What falls short, in words; none means shown. Few runs can show a mean only within their own error. */
export function ruleShortfalls(results: readonly RuleCellResult[], short: boolean): string[] {
  return [
    ...results.flatMap((one) => cellShortfalls(one, short)),
    ...families.flatMap((family) => familyShortfalls(family, results, short)),
    ...meanShortfalls(results, short),
    ...keptShortfalls(results, short),
    ...belowShortfalls(results, short),
    ...intervalShortfalls(results, short),
  ];
}

/** Patch gates are no bar where no rule does anything: a tenth of a point there is the curvature of the world. */
function cellShortfalls({ cell, ours, strict, filter, reference }: RuleCellResult, short: boolean): string[] {
  // of six runs the error itself is hardly known: as much as three errors of many, by Student's distribution
  const errors = short ? 5.5 : 3;
  const rivals = {
    reference,
    ...(cell.rollouts >= 150 && cell.family !== "worthless" && { strict, filter }),
  };
  return Object.entries(rivals).flatMap(([name, rival]) =>
    ours.gain < rival.gain - errors * errorOf(ours, rival)
      ? [`${cell.name}: gains ${ours.gain.toFixed(2)}, ${name} ${rival.gain.toFixed(2)}`]
      : [],
  );
}

/** In the mean of a family ours is above what it replaces. Where no rule can help there is nothing to gain. */
function familyShortfalls(family: Family, results: readonly RuleCellResult[], short: boolean): string[] {
  const own = results.filter(({ cell }) => cell.family === family && family !== "worthless");
  if (own.length === 0) return [];
  return (["strict", "filter"] as const).flatMap((name) => {
    const ahead = mean(own.map((one) => one.ours.gain - one[name].gain));
    const error = Math.hypot(...own.map((one) => errorOf(one.ours, one[name]))) / own.length;
    return ahead + (short ? 3 * error : 0) > 0
      ? []
      : [`${family}: ${ahead.toFixed(2)} points ahead of ${name} on average`];
  });
}

/** The best text of a search gains a point and a half more than the reference's, and the one that is offered most of it. */
function meanShortfalls(results: readonly RuleCellResult[], short: boolean): string[] {
  if (short) return [];
  const ahead = mean(results.map(({ full, reference }) => full.gain - reference.gain));
  const error =
    Math.hypot(...results.map(({ full, reference }) => errorOf(full, reference))) / results.length;
  const share = mean(results.map(({ ours }) => ours.gain)) / mean(results.map(({ full }) => full.gain));
  return [
    ...(ahead + 2 * error < 1.5 ? [`full: ${ahead.toFixed(2)} points ahead of the reference`] : []),
    ...(share < 0.9 ? [`what is offered gains ${percent(share)} of it`] : []),
  ];
}

export function isKeptCell({ name, tasks }: RuleCellResult["cell"]): boolean {
  return tasks >= 50 && /^(mild|office)/.test(name);
}

export function keptShares(results: readonly RuleCellResult[]) {
  const own = results.filter(({ cell }) => isKeptCell(cell));
  const share = (kind: "useful" | "harmful") =>
    mean(own.map((one) => one[kind] / (one.useful + one.useless + one.harmful)));
  return { useful: share("useful"), harmful: share("harmful") };
}

function keptShortfalls(results: readonly RuleCellResult[], short: boolean): string[] {
  if (!results.some(({ cell }) => isKeptCell(cell))) return [];
  const { useful, harmful } = keptShares(results);
  const slack = short ? 0.08 : 0;
  return [
    ...(useful < 0.6 - slack ? [`${percent(useful)} of the kept rules are useful`] : []),
    ...(harmful > 0.12 + slack ? [`${percent(harmful)} of the kept rules are harmful`] : []),
  ];
}

function belowShortfalls(results: readonly RuleCellResult[], short: boolean): string[] {
  const below = mean(results.map(({ ours }) => ours.below));
  return below > 0.03 + (short ? 0.04 : 0)
    ? [`${percent(below)} of the runs end more than a point below the original`]
    : [];
}

function intervalShortfalls(results: readonly RuleCellResult[], short: boolean): string[] {
  const held = mean(results.flatMap((one) => (isAdditive(one) ? [one.held] : [])));
  const slack = short ? 0.03 : 0;
  return held < 0.9 - slack || held > 0.99 + slack ? [`intervals hold in ${percent(held)}`] : [];
}

export const isAdditive = ({ cell }: RuleCellResult): boolean =>
  additive.has(cell.family) && !cell.name.startsWith("base .9");

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const errorOf = (one: Gain, other: Gain): number => Math.hypot(one.error, other.error);
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
