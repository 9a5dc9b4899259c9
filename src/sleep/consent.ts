import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeJournalFolder } from "../adapters/journals/journal-folder.ts";
import { keepProject } from "../config/journal-place.ts";
import { WhetstoneError } from "../core/errors.ts";
import { sourceNames } from "../core/ports/conversation.ts";
import { writeFileAtomic } from "../adapters/atomic-file.ts";
import { readIfThere } from "../run/offer/live-skill.ts";

/** The conversations that a person allows to be read in a project. It's kept in the journal's folder, which only they write. */
export interface Consent extends z.output<typeof consentSchema> {}

const consentSchema = z.strictObject({
  v: z.literal(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Absolute. Only conversations in this folder and below it may be read. */
  project: z.string().min(1),
  /** Agents whose conversations may be read. Unknown names, from other versions, are left out. */
  sources: z
    .array(z.string())
    .transform((given) => given.flatMap((name) => sourceNames.find((source) => source === name) ?? []))
    .pipe(z.array(z.enum(sourceNames)).min(1)),
  /** Conversations that ended before this instant aren't read. @default all are */
  since: z.number().optional(),
  /** Files of other agents that rules may also go into; paths in the project. */
  files: z.array(z.string()).optional(),
  /** Conversations with a matching file, branch or text are left out. */
  exclude: z.array(z.string()),
  /** How many days redacted conversations and tasks are kept. */
  retentionDays: z.int().min(1),
  /** Notes corrections and offers them when a conversation ends. @default false */
  noteAtEnd: z.boolean().optional(),
  /** Nothing leaves this machine, so models must run on it. */
  localOnly: z.boolean(),
});

/** The consent for this journal's project. Without one, nothing is read. */
export function readConsent(journalDir: string): Consent {
  const path = consentPath(journalDir);
  const text = readIfThere(path)?.toString();
  if (text === undefined)
    throw new WhetstoneError("not-opted-in", "This project isn't opted in, so no conversation was read.", {
      hint: "`whetstone sleep init` shows what would be read and asks for consent, once per project.",
    });
  try {
    return consentSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new WhetstoneError("not-opted-in", `${path} isn't readable, so nothing was read.`, {
      cause,
      hint: "Run `whetstone sleep init` to write it again.",
    });
  }
}

/** Whether this journal's project is opted in. */
export const hasConsent = (journalDir: string): boolean => existsSync(consentPath(journalDir));

export async function writeConsent(journalDir: string, consent: Omit<Consent, "v">): Promise<void> {
  makeJournalFolder(journalDir);
  await keepProject({ journalDir }, consent.project);
  await writeFileAtomic(consentPath(journalDir), `${JSON.stringify({ v: 1, ...consent }, null, 2)}\n`, {
    isPrivate: true,
  });
}

const consentPath = (journalDir: string): string => join(journalDir, "sleep", "consent.json");
