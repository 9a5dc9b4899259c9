import { rmSync } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "../run/offer/live-skill.ts";

/**
 * Counts conversations that ended since a night last read some. An agent's plugin records only the id of each, one per
 * line. Undefined if no plugin has recorded any.
 */
export function countEnded(journalDir: string): number | undefined {
  const text = readIfThere(endedFile(journalDir))?.toString();
  return text === undefined ? undefined : new Set(text.split("\n").filter((line) => line !== "")).size;
}

/** Called by a night that is about to read them. */
export const forgetEnded = (journalDir: string): void => rmSync(endedFile(journalDir), { force: true });

const endedFile = (journalDir: string): string => join(journalDir, "sleep", "ended");
