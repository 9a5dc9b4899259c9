/** Distinct texts of a pass over so many tasks: few, since a provider's prompt cache and an agent's install serve one text each. */
export const usualTexts = (tasks: number): number => (tasks <= 50 ? 4 : 8);
