import { plural, colors } from "../../../show/format.ts";
import { type JournalPlace, journalFolder, shownPlace } from "../../../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { checkJournal, salvageJournal } from "../../../run/doctor/journal-tools.ts";
import type { Io } from "../../../show/io.ts";
import { findToMove, moveJournal } from "../../../run/move-journal.ts";
import { isAnsweredYes } from "./trust-command.ts";

/** `whetstone journal check` */
export async function checkJournalCommand(place: JournalPlace, io: Io): Promise<void> {
  const shown = shownPlace(place);
  const { rows, results, events, damage, uncounted = [] } = await checkJournal(place);
  const counts = `${plural(rows, "row")}: ${plural(results, "result")}, ${plural(events, "event")}`;
  for (const row of uncounted)
    io.print(
      `${colors.yellow("uncounted")}  Row ${row} holds a reply without token counts. It counts as 0 tokens, so this run has spent more than it reports.`,
    );
  if (damage.length === 0) return io.print(`${colors.green("sound")}  ${counts} in ${shown}`);
  for (const sentence of damage) io.print(`${colors.red("damaged")}  ${sentence}`);
  throw new WhetstoneError("journal-damaged", `The journal in ${shown} is damaged. Readable: ${counts}.`, {
    hint:
      place.journalUrl === undefined
        ? `Copy the readable rows: whetstone journal salvage --journal ${shown} --to <new folder>`
        : "Restore the database from its last backup; pg_amcheck checks whether the server's own files are sound.",
  });
}

/** `whetstone journal salvage` */
export async function salvageJournalCommand(place: JournalPlace, to: string, io: Io): Promise<void> {
  const dir = journalFolder(place);
  const { rows, results, events, lost } = await salvageJournal(dir, to);
  io.print(
    `Copied ${plural(rows, "row")} (${plural(results, "result")}, ${plural(events, "event")}) to ${to}.`,
  );
  for (const sentence of lost) io.print(`${colors.yellow("lost")}  ${sentence}`);
  io.print(`To use it: whetstone train … --journal ${to}`);
}

/** `whetstone journal move [from]` */
export async function moveJournalCommand(from: string | undefined, json: boolean, io: Io): Promise<void> {
  const known = findToMove(io.cwd, from);
  if (
    from === undefined &&
    io.prompt !== undefined &&
    !(await isAnsweredYes(`Is this the project that was in ${known.project}? [y/N] > `, io))
  )
    return io.print("Nothing was moved.");
  const moved = await moveJournal(io.cwd, known);
  if (json) return io.printJson(moved);
  io.print(`The journal of ${moved.from} is now stored under ${io.cwd}. Nothing has to be bought again.`);
  if (moved.hadNights)
    io.print("Nights were only allowed for the old path; `whetstone sleep init` asks again.");
}
