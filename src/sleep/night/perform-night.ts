import type { Night, NightOptions } from "./night-summary.ts";
import { join } from "node:path";
import { appendPrivately, writeFileAtomic } from "../../adapters/atomic-file.ts";
import { makeFolder } from "../../adapters/make-folder.ts";
import { holdProcessLock } from "../../adapters/journals/process-lock.ts";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import { hashJson } from "../../core/canonical.ts";
import { type ErrorCode, WhetstoneError } from "../../core/errors.ts";
import { asJson } from "../../core/json.ts";
import { oneLine } from "../../core/one-line.ts";
import { noCost } from "../../core/cost.ts";
import { checkBlock } from "./night.ts";
import { spellOut } from "../../report/spell-out.ts";
import { hasModel } from "../../config/resolve/resolve-models.ts";
import { plural } from "../../core/plural.ts";
import { noteCorrections } from "../wishes/note-corrections.ts";
import { wishText } from "../wishes/wish-words.ts";
import { checkedFile } from "../checked-file.ts";
import { type Consent, readConsent } from "../consent.ts";
import { forgetFailures, noteFailure } from "../failures.ts";
import { forgetEnded } from "../ended.ts";
import { nightVerb } from "./night-verb.ts";
import { ownWishes, sharingJournals } from "../memory/shared-wishes.ts";
import { markTried } from "../memory/harvested.ts";
import { type GatherInput, type Gathered, placesOf } from "./gather.ts";
import { gatherTonight } from "./gather-tonight.ts";
import {
  type PinnedNight,
  forgetOldNights,
  nightFolder,
  openRedactor,
  pinnedFile,
  readIn,
  stoppedNight,
} from "./pin-night.ts";
import { type SleepPlace, openPlace } from "../place.ts";
import { resolveNight } from "./resolve-night.ts";
import { expireState, nextNight, noNights, stateFile } from "../state.ts";
import { syncState } from "./sync-rules.ts";
import { perform } from "../../run/verbs/perform.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import { readPlainText } from "../../adapters/read-plain-file.ts";
import { readTaskRows } from "../memory/tasks-file.ts";
import { findDocuments } from "./find-documents.ts";

/**
 * One night: read, redact, mine, replay, learn, prove, stage. Live files don't change. The same call resumes a stopped
 * night: its input is saved, and its paid results are in the journal.
 */
export async function performNight(options: NightOptions): Promise<Night> {
  const place = openPlace(options);
  const consent = readConsent(place.journalDir);
  const lock = holdNight(place.journalDir);
  const log = (line: string) =>
    appendPrivately(
      join(place.journalDir, "sleep", "nights.log"),
      `${new Date(now(options)).toISOString()} ${spellOut(oneLine(line, 2000))}\n`,
    );
  try {
    const night = await nightOf(place, consent, options);
    await log(`night ${night.id}: ${night.sentence}`);
    await forgetFailures(place.journalDir);
    return night;
  } catch (error) {
    const isWaiting = error instanceof WhetstoneError && error.code === "handoff-pending";
    const ended = await endFailed(place, error, now(options)).catch(() => false);
    await log(`${isWaiting ? "waits" : "failed"}: ${messageOf(error)}${ended ? ` ${anotherNight}` : ""}`);
    await noteFailure(place.journalDir, error, now(options));
    throw error;
  } finally {
    lock.release();
  }
}

/** Checks that a night could start: its models, their keys and its agents exist. Reads, calls and counts nothing. */
export async function checkNight(options: NightOptions): Promise<void> {
  const place = openPlace(options);
  const consent = readConsent(place.journalDir);
  const redactor = await openRedactor(place);
  const resolved = await resolveNight({ place, consent, redactor, commits: [] }, options);
  await resolved.close?.();
}

async function nightOf(place: SleepPlace, consent: Consent, options: NightOptions): Promise<Night> {
  const { journalDir } = place;
  const file = stateFile(journalDir);
  const known = file.read() ?? noNights;
  const state = syncState(known, journalDir, sharingJournals(journalDir, consent));
  const redactor = await openRedactor(place);
  const pinned = await pin({ place, consent, state, redactor, now: now(options) }, options);
  const record = { id: pinned.id, startedAt: pinned.at, conversations: pinned.conversations.length };
  const folder = nightFolder(journalDir, pinned.id);
  const isNoting = pinned.tasks === undefined && !hasModel(place.config, place.env);
  if (isEmpty(pinned) || isNoting) {
    const wishes = noteCorrections(state.wishes, pinned.conversations, pinned.at);
    const noted = wishes.flatMap((wish) =>
      wish.isNoted === true && !state.wishes.includes(wish) ? [wish] : [],
    );
    const sentence = isEmpty(pinned)
      ? "Nothing new was said in this project, so there was nothing to learn."
      : `No model was available: ${plural(noted.length, "correction")} noted in your own words, not measured. A night with a model words and measures them.`;
    const unmined = pinned.conversations.map(({ id }) => id);
    const notes = [...pinned.notes, ...noted.map((wish) => `Noted: "${wishText(wish)}".`)];
    const endedAt = now(options);
    const ended = { ...record, sentence, tasks: 0, proposals: [] };
    const night = { ...ended, endedAt, corrections: noted.length, models: {}, cost: {} };
    const next = expireState(
      { ...state, wishes, ...readIn(pinned, state, unmined), nights: [...state.nights, night] },
      { now: endedAt, days: consent.retentionDays },
    );
    const lines = [`# Night ${pinned.id}`, sentence, ...notes];
    await writeFileAtomic(join(folder, "report.md"), `${lines.join("\n\n")}\n`, { isPrivate: true });
    await file.write(ownWishes(next));
    await forgetOldNights(journalDir, next, endedAt - consent.retentionDays * 86_400_000);
    return { ...ended, folder, notes, spent: noCost, took: "0 calls" };
  }
  const starts = [...pinned.conversations, ...(pinned.tasks ?? []).map(({ workspace }) => workspace)];
  const commits = starts.flatMap((start) => start?.commit ?? []);
  const resolved = await resolveNight({ place, consent, redactor, commits }, options);
  const journal = await openJournal(place);
  try {
    const { signal, onEvent, clock } = options;
    const work = { place, consent, pinned, state, resolved, journal, redactor, folder };
    const verb = nightVerb({ ...work, now: () => now(options) });
    return (await perform(verb, { journal, signal, onEvent, clock })).summary;
  } finally {
    await journal.close();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const anotherNight = "The next night starts over with the unread conversations.";

/**
 * A night that fails twice with the same message would keep failing and block all later ones. So it ends: its conversations
 * stay unread, each with one more try counted.
 */
async function endFailed({ journalDir }: SleepPlace, error: unknown, at: number): Promise<boolean> {
  // if a person or a provider can fix it, the same night resumes later
  if (error instanceof WhetstoneError ? !failsAgain.has(error.code) : Object.hasOwn(Object(error), "syscall"))
    return false;
  const file = stateFile(journalDir);
  const state = file.read() ?? noNights;
  const id = nextNight(state);
  const pinned = pinnedFile(journalDir, id).read();
  if (pinned === undefined) return false;
  const message = messageOf(error);
  const failed = failedFile(journalDir, id);
  if (failed.read()?.message !== message) {
    await failed.write({ message });
    return false;
  }
  const vain = { by: pinned.by ?? "", before: state.harvested };
  await file.write({
    ...state,
    harvested: markTried(state.harvested, pinned.places ?? [], vain),
    nights: [
      ...state.nights,
      {
        id,
        startedAt: pinned.at,
        endedAt: at,
        sentence: `It failed twice: ${oneLine(message, 500)}`,
        conversations: pinned.conversations.length,
        tasks: 0,
        corrections: 0,
        proposals: [],
        models: {},
        cost: {},
      },
    ],
  });
  return true;
}

/** Errors caused by the night's own input, which every start would hit again. */
const failsAgain: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "judge-uncalibrated",
  "checks-degenerate",
  "tasks-invalid",
  "skill-invalid",
  "reply-invalid",
  "replies-unusable",
  "failed",
]);

const failedFile = (journalDir: string, id: string) =>
  checkedFile<{ readonly message: string }>(
    join(nightFolder(journalDir, id), "failed.json"),
    "Delete it. It only records how the night failed.",
  );

/** The stopped night, or a new one: read, redacted and saved. */
async function pin(input: GatherInput, options: NightOptions): Promise<PinnedNight> {
  const { place, consent, state, now: at } = input;
  const id = nextNight(state);
  const stopped = stoppedNight(place.journalDir, state, consent);
  if (stopped !== undefined && options.tasks === undefined) return stopped;
  if (options.tasks === undefined) forgetEnded(place.journalDir);
  const pinned =
    options.tasks === undefined
      ? { id, at, ...(await gatherTonight(input, options.cwd)) }
      : { id, at, ...(await readReviewedTasks(options.tasks, input)) };
  // the same file of tasks resumes the same night
  if (
    stopped !== undefined &&
    hashJson(asJson({ ...stopped, at: 0 })) === hashJson(asJson({ ...pinned, at: 0 }))
  )
    return stopped;
  // don't record this night, so that a repaired file is read again
  if (!isEmpty(pinned)) for (const document of pinned.documents) checkBlock(document);
  await pinnedFile(place.journalDir, id).write(pinned);
  return pinned;
}

const isEmpty = ({ conversations, tasks = [] }: PinnedNight): boolean =>
  conversations.length + tasks.length === 0;

export function holdNight(journalDir: string) {
  makeFolder(join(journalDir, "locks"), 0o700);
  const lock = holdProcessLock(join(journalDir, "locks", "sleep.db"), 0);
  if (lock !== undefined) return lock;
  throw new WhetstoneError("run-locked", "A night of this project is already running in another process.", {
    hint: "Wait for it. `whetstone sleep status` shows its result. The lock ends with the process that holds it.",
  });
}

const now = ({ clock = systemClock }: NightOptions): number => clock.now();

/** Uses tasks that a person has reviewed instead of conversations, and redacts them too. */
async function readReviewedTasks(
  path: string,
  { place, consent, state: { harvested, usual }, redactor }: GatherInput,
): Promise<Gathered> {
  const text = await readPlainText(path).catch((cause: unknown) => {
    throw new WhetstoneError("not-found", `${path} can't be read.`, { cause, hint: "Correct the path." });
  });
  const tasks = readTaskRows((await redactor.redact(text)).text, path);
  const { documents, notes } = await findDocuments(
    tasks.flatMap(({ skill }) => (skill === undefined ? [] : [skill])),
    [],
    placesOf(place, consent),
  );
  return {
    conversations: [],
    memories: [],
    tasks,
    documents,
    notes,
    harvested,
    usual,
    left: 0,
    older: 0,
    skipped: [],
  };
}
