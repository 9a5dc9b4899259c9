/**
 * Distinct texts of a pass over so many tasks; 0: each rollout has its own, which tells rules apart best. On many tasks a few do as
 * well, and a provider's prompt cache and an agent's install serve one text each.
 */
export const usualTexts = (tasks: number): number => (tasks <= 50 ? 0 : 8);

/** In how many of a few texts a rule is that has this chance. */
export function drawTimes(chance: number, texts: number, random: () => number): number {
  const wanted = chance * texts;
  return Math.floor(wanted) + Number(random() < wanted % 1);
}
