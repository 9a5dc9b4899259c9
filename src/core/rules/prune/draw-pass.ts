import { shuffle } from "../../random.ts";
import { drawTimes } from "../few-texts.ts";
import { clamp } from "../rule-model.ts";

/** One pass over val: a few texts, each with its part of the rules, and which task gets which. */
export interface PrunePass {
  /** The rules of each text. */
  readonly texts: readonly (readonly number[])[];
  /** For each task, the number of its text. */
  readonly textOf: readonly number[];
}

/** How often a rule stays that is not known to be needed: most texts are close to what pruning would end with. */
const stay = 0.4;

/** Draws a pass. A rule that is known to be needed is in every text, any other in some and never in none or all. */
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
