import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Decisions, decisionsSchema } from "../../core/offer/review.ts";
import { readIfThere } from "./live-skill.ts";

/** A person's decisions on one proposal. The proposal itself stays as it was made. */
export interface Decided {
  readonly rules: Decisions;
  /** Time of the last decision, in milliseconds since the epoch; missing before the first. */
  readonly at?: number | undefined;
  /** Why the whole proposal was rejected. */
  readonly rejected?: string | undefined;
}

export function readDecided(journalDir: string, id: string): Decided {
  const path = decidedPath(journalDir, id);
  const text = readIfThere(path)?.toString();
  if (text === undefined) return { rules: {} };
  try {
    const { v: _, ...decided } = decidedSchema.parse(JSON.parse(text));
    return decided;
  } catch (cause) {
    throw new WhetstoneError("proposal-damaged", `${path} can't be read.`, {
      cause,
      hint: "Move it away to continue without the decisions on this proposal.",
    });
  }
}

/** Whether the proposal or one of its rules was rejected. */
export const isRejecting = ({ rules, rejected }: Decided): boolean =>
  rejected !== undefined || Object.values(rules).some(({ deed }) => deed === "reject");

/** Ids of the proposals with decisions by a person. */
export function listDecided(journalDir: string): readonly string[] {
  const folder = join(journalDir, "decisions");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^[\w-]+\.json$/.test(name)).map((name) => name.slice(0, -".json".length));
}

export const writeDecided = (journalDir: string, id: string, decided: Decided): Promise<void> =>
  writeFileAtomic(decidedPath(journalDir, id), `${JSON.stringify({ v: 1, ...decided }, null, 2)}\n`, {
    isPrivate: true,
  });

export const decidedPath = (journalDir: string, id: string): string =>
  join(journalDir, "decisions", `${id}.json`);

const decidedSchema = z.object({
  v: z.literal(1),
  rules: decisionsSchema,
  at: z.number().optional(),
  rejected: z.string().optional(),
});
