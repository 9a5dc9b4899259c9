import { clamp } from "./rule-model.ts";

/** Distinct texts of a pass over so many tasks: few, since a provider's prompt cache and an agent's install serve one text each. */
export const usualTexts = (tasks: number): number => (tasks <= 50 ? 4 : 8);

/** In how many of a few texts a rule is that has this chance: never in none, and in all only where there is one. */
export function drawTimes(chance: number, texts: number, random: () => number): number {
  const wanted = chance * texts;
  return clamp(Math.floor(wanted) + Number(random() < wanted % 1), 1, Math.max(texts - 1, 1));
}
