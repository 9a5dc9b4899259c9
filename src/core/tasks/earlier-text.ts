import type { EarlierTurn } from "./task.ts";

/** Writes an earlier conversation as text, for a reader that can't resume it. */
export const earlierText = (turns: readonly EarlierTurn[]): string =>
  turns.map(({ prompt, answer }) => `The person: ${prompt}\n\nThe agent: ${answer}`).join("\n\n");
