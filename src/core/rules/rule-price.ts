import { mean } from "../mean.ts";
import type { TextResult } from "./rule-search.ts";
import type { RolloutPrice } from "./rule-table.ts";
import { cholesky, inverseDiagonal, solveLower } from "./symmetric.ts";

/**
 * The tokens and turns that each rule adds to a rollout. All rules are estimated at once by least squares, with a level for each
 * task; that works because the rules in a text were drawn at random. A rule that was always in, or never, has no price.
 */
export function rulePrices(results: readonly TextResult[]): ReadonlyMap<number, RolloutPrice> {
  const counted = results.flatMap(({ task, rules, used }) =>
    used === undefined ? [] : [{ task, rules, used }],
  );
  const numbers = [...new Set(counted.flatMap(({ rules }) => rules))].toSorted((a, b) => a - b);
  const compared = numbers.filter((number) => {
    const has = counted.filter(({ rules }) => rules.includes(number)).length;
    return has >= fewest && counted.length - has >= fewest;
  });
  if (compared.length === 0) return new Map();
  const fit = (measure: "tokens" | "turns") =>
    leastSquares(
      counted.map(({ task, rules, used }) => ({
        task,
        row: compared.map((number) => Number(rules.includes(number))),
        value: used[measure],
      })),
      compared.length,
    );
  const [tokens, turns] = [fit("tokens"), fit("turns")];
  return new Map(
    compared.map((number, at) => [
      number,
      {
        tokens: tokens.values[at] ?? 0,
        tokensSd: tokens.sds[at] ?? 0,
        turns: turns.values[at] ?? 0,
        turnsSd: turns.sds[at] ?? 0,
      },
    ]),
  );
}

/** The minimum number of rollouts with it, and without. */
const fewest = 4;

interface Observed {
  readonly task: number;
  readonly row: readonly number[];
  readonly value: number;
}

/** Within tasks. A weak pull towards zero, the size of one rollout, decides what the data can't separate. */
function leastSquares(observed: readonly Observed[], size: number) {
  const within = [...Map.groupBy(observed, ({ task }) => task).values()].flatMap((own) => {
    const level = mean(own.map(({ value }) => value));
    const middles = Array.from({ length: size }, (_, k) => mean(own.map(({ row }) => row[k] ?? 0)));
    return own.map(({ row, value }) => ({
      row: row.map((cell, k) => cell - (middles[k] ?? 0)),
      value: value - level,
    }));
  });
  const whole = Math.max(Math.abs(mean(observed.map(({ value }) => value))), 1e-9);
  const tasks = new Set(observed.map(({ task }) => task)).size;
  const freedom = Math.max(observed.length - tasks - size, 1);
  const start = within.reduce((sum, { value }) => sum + value ** 2, 0) / Math.max(observed.length - tasks, 1);
  const precision = new Float64Array(size * size);
  const right = new Float64Array(size);
  for (const { row, value } of within)
    for (let k = 0; k < size; k += 1) {
      right[k] = (right[k] ?? 0) + (row[k] ?? 0) * value;
      for (let q = 0; q < size; q += 1)
        precision[k * size + q] = (precision[k * size + q] ?? 0) + (row[k] ?? 0) * (row[q] ?? 0);
    }
  for (let k = 0; k < size; k += 1)
    precision[k * size + k] = (precision[k * size + k] ?? 0) + start / whole ** 2 + 1e-6;
  const lower = cholesky(precision, size);
  const values = solveLower(lower, right);
  const left = within.reduce(
    (sum, { row, value }) =>
      sum + (value - row.reduce((all, cell, k) => all + cell * (values[k] ?? 0), 0)) ** 2,
    0,
  );
  const sds = inverseDiagonal(lower, size).map((cell) => Math.sqrt((cell * left) / freedom));
  return { values, sds };
}
