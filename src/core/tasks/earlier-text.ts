import type { EarlierTurn } from "./task.ts";

/** An earlier conversation for a reader that can't have it as its own. */
export const earlierText = (turns: readonly EarlierTurn[]): string =>
  turns.map(({ prompt, answer }) => `The person: ${prompt}\n\nThe agent: ${answer}`).join("\n\n");
