import { rmSync } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "../run/offer/live-skill.ts";

/**
 * Conversations that ended since a night last read some: an agent's plugin leaves the id of each, and nothing else, one per
 * line. Undefined where no plugin has left any.
 */
export function countEnded(journalDir: string): number | undefined {
  const text = readIfThere(endedFile(journalDir))?.toString();
  return text === undefined ? undefined : new Set(text.split("\n").filter((line) => line !== "")).size;
}

/** For a night that is about to read them. */
export const forgetEnded = (journalDir: string): void => rmSync(endedFile(journalDir), { force: true });

const endedFile = (journalDir: string): string => join(journalDir, "sleep", "ended");
