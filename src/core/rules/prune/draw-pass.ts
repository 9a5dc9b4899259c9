import { shuffle } from "../../random.ts";
import { drawTimes } from "../few-texts.ts";
import { clamp } from "../rule-model.ts";

/** One pass over val: a few texts, each with a subset of the rules, and the text of each task. */
export interface PrunePass {
  /** The rules of each text. */
  readonly texts: readonly (readonly number[])[];
  /** For each task, the index of its text. */
  readonly textOf: readonly number[];
}

/** How often a rule that isn't known to be needed stays in: most texts are close to the likely end result. */
const stay = 0.4;

/** Draws a pass. A rule known to be needed is in every text; any other is in some, but never in none or all. */
export function drawPass(
  { rules, tasks, texts }: { readonly rules: number; readonly tasks: number; readonly texts: number },
  known: ReadonlySet<number>,
  random: () => number,
): PrunePass {
  // 0: each task its own
  const count = Math.max(texts === 0 ? tasks : texts, 2);
  const numbers = [...Array(count).keys()];
  const places = Array.from({ length: rules }, (_, rule) => {
    if (known.has(rule)) return new Set(numbers);
    const times = clamp(drawTimes(stay, count, random), 1, count - 1);
    return new Set(shuffle(numbers, random).slice(0, times));
  });
  return {
    texts: numbers.map((text) => [...places.keys()].filter((rule) => places[rule]?.has(text))),
    textOf: shuffle(
      Array.from({ length: tasks }, (_, task) => task % count),
      random,
    ),
  };
}
