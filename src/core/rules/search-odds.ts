import { plural } from "../plural.ts";
import table from "./search-odds.json" with { type: "json" };

/** The outcome of similar searches in simulated worlds. Gains are points of the true score. */
export interface SearchOdds {
  /** On average. */
  readonly gain: number;
  /** The range of 8 in 10 searches. */
  readonly low: number;
  readonly high: number;
  /** The share that ends with the original. */
  readonly keepsOriginal: number;
}

/** The facts that determine a search's odds. */
export interface OddsFacts {
  readonly val: number;
  readonly steps: number;
  /** The original's score, if known. */
  readonly base?: number | undefined;
}

type Row = SearchOdds & Readonly<Record<"val" | "steps" | "base", number>>;

/** The odds of a search with the gate `rules`, interpolated between the simulated sizes, and never beyond them. */
export function searchOdds({ val, steps, base }: OddsFacts): SearchOdds {
  const rows: readonly Row[] = table.rows;
  const middle = rows.length / 2;
  // the first half has low scores
  const halves = [rows.slice(0, middle), rows.slice(middle)].map((half) => {
    const sizes = [...Map.groupBy(half, (row) => row.val).values()];
    const bySize = sizes.map((own) => between(own, (row) => Math.log(row.steps), Math.log(steps)));
    return between(bySize, (row) => Math.log(row.val), Math.log(val));
  });
  const half = halves.reduce((sum, row) => sum + row.base / halves.length, 0);
  const { gain, low, high, keepsOriginal } = between(halves, (row) => row.base, base ?? half);
  return { gain, low, high, keepsOriginal };
}

/** Linear between the two nearest rows; beyond them, the first or the last. */
function between(rows: readonly Row[], place: (row: Row) => number, at: number): Row {
  const after = rows.findIndex((row) => place(row) >= at);
  const [from, to] = [rows.at(after === -1 ? -1 : Math.max(after - 1, 0)), rows.at(after)] as [Row, Row];
  const share = from === to ? 0 : (at - place(from)) / (place(to) - place(from));
  const mix = (key: keyof Row) => from[key] + share * (to[key] - from[key]);
  return {
    val: mix("val"),
    steps: mix("steps"),
    base: mix("base"),
    gain: mix("gain"),
    low: mix("low"),
    high: mix("high"),
    keepsOriginal: mix("keepsOriginal"),
  };
}

/** The odds in a sentence for people, with their limits. */
export function oddsSentence({ val, steps }: OddsFacts, odds: SearchOdds): string {
  const [gain, low, high] = [odds.gain, odds.low, odds.high].map((value) =>
    String(Math.round(value) || 0).replace("-", "−"),
  );
  const size = `With ${plural(val, "val task")} and ${plural(steps, "step")}`;
  return `${size}, eight of ten searches like this gained ${low} to ${high} points in simulated worlds, ${gain} on average. ${Math.round(100 * odds.keepsOriginal)} of 100 kept the original. These simulations use no real model.`;
}
