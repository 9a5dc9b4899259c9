import { mean } from "../mean.ts";
import { type SearchState, type TextResult, areExclusive } from "./rule-search.ts";

/** The results of a search, with the randomly drawn texts of each part. */
export interface RandomTexts {
  readonly search: SearchState;
  readonly rows: readonly Row[];
  readonly parts: readonly (readonly Text[])[];
}

type Row = TextResult & { readonly score: number };

interface Text {
  readonly rules: readonly number[];
  /** The indices of its results. */
  readonly rows: readonly number[];
}

export function gatherTexts(search: SearchState, results: readonly TextResult[]): RandomTexts {
  const rows = results.filter((one): one is Row => one.score !== null);
  const texts = [...Map.groupBy(rows.keys(), (at) => rows[at]?.drawn)].flatMap(([drawn, places]) =>
    drawn === undefined ? [] : [{ ...drawn, rows: places }],
  );
  return { search, rows, parts: [...Map.groupBy(texts, ({ part }) => part).values()] };
}

/** The parts in which chance decided about each of these rules, without texts that can't hold one. Empty if there are few. */
export function partsWith({ search, parts }: RandomTexts, rules: readonly number[]): RandomTexts["parts"] {
  const barred = [...search.rules.keys()].filter((one) =>
    rules.some((rule) => areExclusive(search, one, rule)),
  );
  const found = parts
    .map((texts) => texts.filter((text) => !barred.some((rule) => text.rules.includes(rule))))
    .filter((texts) => rules.every((rule) => shareWith(texts, rule) > 0 && shareWith(texts, rule) < 1));
  return found.flat().length < leastTexts ? [] : found;
}

/** Fewer texts say nothing. */
const leastTexts = 6;

export const shareWith = (texts: readonly Text[], rule: number): number =>
  texts.filter(({ rules }) => rules.includes(rule)).length / texts.length;

/** Each result minus its task's level and the believed effects of the rules in its text; `idle` is assumed to do nothing. */
export function residuals(all: RandomTexts, idle = -1): readonly number[] {
  const { columns, claimed, model, settled } = all.search;
  const { mean: believed, covariance } = (claimed ?? model).fit;
  const [size, column] = [believed.length, columns.indexOf(idle)];
  // the belief about the others if that were known
  const worths = believed.map((worth, other) => {
    if (column < 0) return worth;
    const [shared, own] = [other, column].map((row) => covariance[row * size + column]) as [number, number];
    return worth - (shared / own) * (believed[column] as number);
  });
  const worthOf = (rule: number) => worths[columns.indexOf(rule)] ?? settled.get(rule)?.mean ?? 0;
  return aroundTask(all, ({ score, rules }) => rules.reduce((left, rule) => left - worthOf(rule), score));
}

/** A value of each result relative to the mean of its task, weighted by task. */
export function aroundTask({ search, rows }: RandomTexts, valueOf: (row: Row) => number): readonly number[] {
  const byTask = Map.groupBy(rows, ({ task }) => task);
  const means = new Map([...byTask].map(([task, own]) => [task, mean(own.map(valueOf))]));
  const weights = search.model.weights;
  return rows.map((row) => (weights[row.task] as number) * (valueOf(row) - (means.get(row.task) as number)));
}
