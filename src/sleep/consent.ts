import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeJournalFolder } from "../adapters/journals/journal-folder.ts";
import { keepProject } from "../config/journal-place.ts";
import { WhetstoneError } from "../core/errors.ts";
import { sourceNames } from "../core/ports/conversation.ts";
import { writeFileAtomic } from "../adapters/atomic-file.ts";
import { readIfThere } from "../run/offer/live-skill.ts";

/** What one person allows to be read of one project. It's kept in the journal's folder, which only that person writes. */
export interface Consent extends z.output<typeof consentSchema> {}

const consentSchema = z.strictObject({
  v: z.literal(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Absolute; conversations in it and below it may be read, and no others. */
  project: z.string().min(1),
  /** Agents whose conversations may be read. Names that an earlier version knew and this one doesn't are left out. */
  sources: z
    .array(z.string())
    .transform((given) => given.flatMap((name) => sourceNames.find((source) => source === name) ?? []))
    .pipe(z.array(z.enum(sourceNames)).min(1)),
  /** Conversations that ended before this instant are not read. @default all are */
  since: z.number().optional(),
  /** Files of other agents' than those who were told a rule, that it may go into as well; paths in the project. */
  files: z.array(z.string()).optional(),
  /** Conversations that touch a file, a branch or words that match stay out. */
  exclude: z.array(z.string()),
  /** Days for which redacted conversations and tasks are kept. */
  retentionDays: z.int().min(1),
  /** Corrections are noted and offered when a conversation ends. @default false */
  noteAtEnd: z.boolean().optional(),
  /** Nothing leaves this machine: models must be on it. */
  localOnly: z.boolean(),
});

/** The consent for this journal's project; without one nothing is read. */
export function readConsent(journalDir: string): Consent {
  const path = consentPath(journalDir);
  const text = readIfThere(path)?.toString();
  if (text === undefined)
    throw new WhetstoneError(
      "not-opted-in",
      "This project has not been opted in: no conversation was read.",
      {
        hint: "`whetstone sleep init` says what would be read and asks for it, once per project.",
      },
    );
  try {
    return consentSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new WhetstoneError("not-opted-in", `${path} is not readable, so nothing was read.`, {
      cause,
      hint: "`whetstone sleep init` writes it anew.",
    });
  }
}

/** Whether somebody has opted this journal's project in. */
export const hasConsent = (journalDir: string): boolean => existsSync(consentPath(journalDir));

export async function writeConsent(journalDir: string, consent: Omit<Consent, "v">): Promise<void> {
  makeJournalFolder(journalDir);
  await keepProject({ journalDir }, consent.project);
  await writeFileAtomic(consentPath(journalDir), `${JSON.stringify({ v: 1, ...consent }, null, 2)}\n`, {
    isPrivate: true,
  });
}

const consentPath = (journalDir: string): string => join(journalDir, "sleep", "consent.json");
