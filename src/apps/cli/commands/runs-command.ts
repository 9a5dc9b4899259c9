import { type JournalPlace, openJournal } from "../../../adapters/journals/open-journal.ts";
import type { Journal } from "../../../core/ports/journal.ts";
import { readTarget } from "../../../run/offer/live-skill.ts";
import { findInterrupted, interruptedSkills } from "../../../run/offer/receipts.ts";
import { collectGarbage } from "../../../run/doctor/journal-tools.ts";
import { listRuns, readRun, readSkills, recordFolder, removeRun } from "../../../run/reports/runs.ts";
import { fit, plural } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";
import { listLines } from "../../../show/list-lines.ts";
import { runLines } from "../../../show/run-lines.ts";

/** `whetstone runs` */
export async function runsCommand(place: JournalPlace, json: boolean, io: Io): Promise<void> {
  const runs = await reading(place, listRuns);
  if (json) {
    for (const run of runs) io.printJson(run);
    return;
  }
  for (const live of interruptedSkills(place.journalDir))
    for (const { message, hint } of findInterrupted(live, place.journalDir)) io.warn(`${message} ${hint}`);
  if (runs.length === 0) return io.print("No runs yet. `whetstone demo` makes one without a key.");
  for (const line of listLines(runs.toReversed(), Date.now())) io.print(fit(line, io.lineLimit));
}

/** `whetstone runs show [run]` */
export async function showRunCommand(
  place: JournalPlace,
  id: string | undefined,
  { json, rules }: { readonly json: boolean; readonly rules: boolean },
  io: Io,
): Promise<void> {
  const run = await reading(place, (journal) => readRun(journal, id));
  if (json) return io.printJson(run);
  const skills = await readSkills(recordFolder(place.journalDir, run));
  const isAdoptable = hasLiveSkill(place.journalDir, run.run);
  for (const line of runLines(run, { skills, isAdoptable, allRules: rules }, io)) io.print(line);
}

/** A skill given in code doesn't have a file to adopt into. */
function hasLiveSkill(journalDir: string, run: string): boolean {
  try {
    readTarget(journalDir, run);
    return true;
  } catch {
    return false;
  }
}

/** `whetstone runs rm <run>` */
export async function removeRunCommand(place: JournalPlace, id: string, io: Io): Promise<void> {
  const journal = await openJournal(place);
  try {
    const { run, folder, deleted, isRejecting } = await removeRun(journal, place.journalDir, id);
    io.print(`Removed run ${run}${deleted ? " and its artifacts" : `; its artifacts stay in ${folder}`}.`);
    if (isRejecting)
      io.print("Your rejections of its rules are forgotten too, so the same words may be proposed again.");
    io.print("Its results stay in the journal until you run `whetstone runs gc`.");
  } finally {
    await journal.close();
  }
}

/** `whetstone runs gc` */
export async function gcCommand(place: JournalPlace, io: Io): Promise<void> {
  const { kept, dropped, results, freedBytes } = await collectGarbage(place);
  if (dropped === 0)
    return io.print("Nothing to delete: every result was bought or used by a remaining run.");
  // a database keeps its files and fills them again
  const freed = place.journalUrl === undefined ? "freed" : "free for new rows";
  io.print(
    `Deleted ${plural(dropped, "row")} (${plural(results, "result")}), kept ${kept}; ${(freedBytes / 1e6).toFixed(1)} MB ${freed}.`,
  );
}

async function reading<T>(place: JournalPlace, read: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await openJournal(place, { readOnly: true });
  try {
    return await read(journal);
  } finally {
    await journal.close();
  }
}
