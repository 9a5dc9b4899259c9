/** One text of a part: whether it has the rule, and what it contributes to each of some sums. */
export interface SwappedText {
  readonly isIn: boolean;
  readonly adds: Float64Array;
}

type Part = readonly SwappedText[];

/** A sum over the texts with the rule minus its expectation over random draws of as many texts, and its variance. */
export function excessOf(parts: readonly Part[], at: number): Readonly<Record<"sum" | "variance", number>> {
  const each = parts.map((texts) => momentsOf(texts, at));
  const over = (pick: "sum" | "variance") => each.reduce((all, moments) => all + moments[pick], 0);
  return { sum: over("sum"), variance: over("variance") };
}

function momentsOf(texts: Part, at: number): Readonly<Record<"mean" | "sum" | "variance", number>> {
  const all = texts.length;
  const held = texts.filter(({ isIn }) => isIn).length;
  const mean = texts.reduce((sum, { adds }) => sum + (adds[at] as number), 0) / all;
  let [sum, squares] = [0, 0];
  for (const { isIn, adds } of texts) {
    const own = (adds[at] as number) - mean;
    if (isIn) sum += own;
    squares += own ** 2;
  }
  return { mean, sum, variance: (squares * held * (all - held)) / (all * (all - 1)) };
}

/** If every sum was reached this often, it's luck, and more draws would only confirm that. */
const enoughHits = 50;

/**
 * A permutation test for each sum, two-sided. Randomly swaps which texts of a part have the rule, and counts how often
 * that gives as much. Chance made these texts the same way, so p needs no model of scores.
 */
export function swapTexts(parts: readonly Part[], draws: number, random: () => number): readonly number[] {
  const sums = parts[0]?.[0]?.adds.length ?? 0;
  const urns = parts.map((texts) => makeUrn(texts, sums));
  const came = new Float64Array(sums);
  for (const { count, values } of urns)
    for (let at = 0; at < count * sums; at += 1)
      came[at % sums] = (came[at % sums] as number) + (values[at] as number);
  const [drawn, hits] = [new Float64Array(sums), new Float64Array(sums)];
  let done = 0;
  while (done < draws && hits.some((count) => count < enoughHits)) {
    drawn.fill(0);
    for (const urn of urns) drawInto(drawn, urn, random);
    for (let at = 0; at < sums; at += 1)
      if (Math.abs(drawn[at] as number) >= Math.abs(came[at] as number) - 1e-9)
        hits[at] = (hits[at] as number) + 1;
    done += 1;
  }
  return Array.from(hits, (count) => (1 + count) / (done + 1));
}

/** The texts of a part, those with the rule or those without it first: the smaller group is drawn. */
interface Urn {
  readonly order: Int32Array;
  readonly count: number;
  /** Text by text: its contribution to the sums if it's drawn. */
  readonly values: Float64Array;
}

/**
 * Values are relative to the mean of the part, so that a part counts by its texts alone. The number of texts with the
 * rule depends on luck in earlier parts, which would otherwise count twice.
 */
function makeUrn(texts: Part, sums: number): Urn {
  const held = texts.filter(({ isIn }) => isIn).length;
  const isFewer = 2 * held <= texts.length;
  const values = new Float64Array(texts.length * sums);
  const sorted = texts.toSorted((a, b) => Number(b.isIn === isFewer) - Number(a.isIn === isFewer));
  for (let at = 0; at < sums; at += 1) {
    const { mean, variance } = momentsOf(texts, at);
    const scale = variance < 1e-12 ? 0 : (isFewer ? 1 : -1) * Math.sqrt(texts.length / variance);
    sorted.forEach(({ adds }, text) => (values[text * sums + at] = scale * ((adds[at] as number) - mean)));
  }
  return { order: Int32Array.from(texts.keys()), count: isFewer ? held : texts.length - held, values };
}

/** The first steps of a shuffle. */
function drawInto(sums: Float64Array, { order, count, values }: Urn, random: () => number): void {
  for (let at = 0; at < count; at += 1) {
    const other = at + Math.floor(random() * (order.length - at));
    const text = order[other] as number;
    order[other] = order[at] as number;
    order[at] = text;
    for (let sum = 0; sum < sums.length; sum += 1)
      sums[sum] = (sums[sum] as number) + (values[text * sums.length + sum] as number);
  }
}
