import { seededRandom } from "../../random.ts";
import { chanceAbove } from "./sign-flip.ts";

/**
 * The threshold for each of several texts that are compared with one; together they're one question at `alpha`. All
 * texts get the same random signs, and the threshold is what the largest of their scaled sums exceeds by chance
 * (max-T). Texts that behave alike cost each other little. `texts` has each text's differences by unit.
 */
export function textBars(texts: readonly (readonly number[])[], alpha: number): readonly number[] {
  const even = texts.map(() => alpha / texts.length);
  if (texts.length < 2) return even;
  const draws = 2 * Math.min(Math.ceil(drawsAbove / alpha / 2), mostDraws / 2);
  const exceeding = Math.floor(alpha * (draws + 1)) - 1;
  const units = texts[0]?.length ?? 0;
  // some differences are missing, or no simulation can reach the threshold: split it evenly
  if (exceeding < fewestAbove || texts.some(({ length }) => length !== units)) return even;
  const scales = texts.map((own) => Math.sqrt(own.reduce((sum, one) => sum + one * one, 0)));
  const scaled = texts.map((own, text) => Float64Array.from(own, (one) => one / (scales[text] || 1)));
  const random = seededRandom("max-t", units, draws);
  const largest = new Float64Array(draws);
  const signs = new Float64Array(units);
  // flipping all signs gives another draw
  for (let draw = 0; draw < draws; draw += 2) {
    for (let unit = 0; unit < units; unit += 1) signs[unit] = random() < 0.5 ? -1 : 1;
    let [most, least] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const own of scaled) {
      let sum = 0;
      for (let unit = 0; unit < units; unit += 1) sum += (signs[unit] as number) * (own[unit] as number);
      if (sum > most) most = sum;
      if (sum < least) least = sum;
    }
    largest[draw] = most;
    largest[draw + 1] = -least;
  }
  const limit = largest.toSorted().at(-1 - exceeding) ?? Number.POSITIVE_INFINITY;
  return texts.map((own, text) => chanceAbove(own, (limit + rounding) * (scales[text] ?? 0)));
}

/** How many simulated sums above the limit to aim for, within `mostDraws` draws; and the fewest that mean anything. */
const [drawsAbove, mostDraws, fewestAbove] = [200, 200_000, 20];

const rounding = 1e-9;
