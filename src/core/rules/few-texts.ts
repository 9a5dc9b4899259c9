/**
 * The number of distinct texts of a pass over this many tasks. 0: each rollout has its own, which separates rules best.
 * On many tasks a few texts do as well, and a provider's prompt cache and an agent's install can be reused for each.
 */
export const usualTexts = (tasks: number): number => (tasks <= 50 ? 0 : 8);

/** The number of texts, out of a few, that contain a rule with this chance. */
export function drawTimes(chance: number, texts: number, random: () => number): number {
  const wanted = chance * texts;
  return Math.floor(wanted) + Number(random() < wanted % 1);
}
