import { colors } from "../show/colors.ts";
import { type JournalPlace, openJournal } from "../../../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { RunState } from "../../../report/run-state.ts";
import { adopt } from "../../../run/adopt/adopt.ts";
import { diffProposal } from "../../../run/adopt/diff-proposal.ts";
import { readTarget } from "../../../run/adopt/live-skill.ts";
import type { FinishedRun } from "../../../run/adopt/proposal.ts";
import { readReceipts } from "../../../run/adopt/receipts.ts";
import { listRuns } from "../../../run/reports/runs.ts";
import { adoptProposal } from "../../../run/sleep/proposals/adopt-proposal.ts";
import { nightRun, readReviews } from "../../../run/sleep/proposals/proposal-folder.ts";
import { undo } from "../../../run/adopt/undo.ts";
import type { Io } from "../io.ts";

export interface ProposalFlags extends JournalPlace {
  /** The beginning of its id; by default the latest run that proposes something, a training or a pruning. */
  readonly run?: string;
  readonly json: boolean;
}

/** `whetstone diff [run]` */
export async function diffCommand(flags: ProposalFlags, io: Io): Promise<void> {
  const { lines, ...found } = await diffProposal(await findProposal(flags));
  if (flags.json) io.printJson(found);
  else io.print(lines.map(paintLine).join("\n"));
}

/** `whetstone adopt [run]` */
export async function adoptCommand(
  {
    unproven,
    merge,
    acknowledge,
    ...flags
  }: ProposalFlags & {
    readonly unproven: boolean;
    readonly merge: boolean;
    readonly acknowledge: readonly string[];
  },
  io: Io,
): Promise<void> {
  const found = await findProposal(flags);
  const { lines, ...adopted } = found.isNight
    ? await adoptProposal({ journalDir: found.journalDir, id: found.run, unproven, merge, acknowledge })
    : await adopt(found, { unproven, merge, acknowledge });
  if (flags.json) io.printJson(adopted);
  else io.print(lines.join("\n"));
}

/** `whetstone undo [run]` */
export async function undoCommand(flags: ProposalFlags, io: Io): Promise<void> {
  const { lines, ...undone } = await undo(await findProposal(flags, isAdopted));
  if (flags.json) io.printJson(undone);
  else io.print(lines.join("\n"));
}

export function paintLine(line: string): string {
  // a carriage return is part of the line end, and stays beside it
  const [, words = line, end = ""] = /^(.*?)(\r?)$/su.exec(line) ?? [];
  if (line.startsWith("+")) return colors.green(words) + end;
  return line.startsWith("-") ? colors.red(words) + end : line;
}

/** The named training, pruning or night's proposal, or the latest training or pruning that fits. */
async function findProposal(
  { run: id, ...place }: ProposalFlags,
  fits: (run: RunState, journalDir: string) => boolean = () => true,
): Promise<FinishedRun & { readonly isNight: boolean }> {
  const { journalDir } = place;
  const runs = await listProposing(place);
  const nights = readReviews(journalDir).map((review) => nightRun(journalDir, review.id));
  const named =
    id === undefined
      ? runs.filter((run) => fits(run, journalDir)).slice(-1)
      : [...runs, ...nights].filter(({ run }) => run.startsWith(id));
  const [only, second] = named;
  if (only === undefined) throw noRun(id, runs.length > 0);
  if (second !== undefined) {
    throw new WhetstoneError("usage", `"${id}" fits ${named.length} runs.`, {
      hint: `Write more of the id: ${named.map(({ run }) => run).join(", ")}.`,
    });
  }
  return {
    run: only.run,
    folder: only.folder,
    journalDir,
    isNight: nights.some(({ run }) => run === only.run),
  };
}

async function listProposing(place: JournalPlace): Promise<readonly RunState[]> {
  const journal = await openJournal(place, { readOnly: true });
  try {
    return (await listRuns(journal)).filter(({ command }) => command === "train" || command === "prune");
  } finally {
    await journal.close();
  }
}

/** Its bytes are live, as far as receipts tell. */
function isAdopted({ run }: RunState, journalDir: string): boolean {
  try {
    const receipts = readReceipts(journalDir, readTarget(journalDir, run));
    return receipts.findLast((receipt) => receipt.run === run)?.phase === "adopted";
  } catch {
    return false;
  }
}

function noRun(id: string | undefined, isAny: boolean): WhetstoneError {
  if (id !== undefined) {
    return new WhetstoneError("not-found", `No training or pruning begins with "${id}".`, {
      hint: "`whetstone runs` lists them.",
    });
  }
  return isAny
    ? new WhetstoneError("not-found", "No run is adopted, so there is nothing to undo.", {
        hint: "`whetstone runs` lists the runs; `whetstone undo <run>` names one.",
      })
    : new WhetstoneError("not-found", "There is no training or pruning yet.", {
        hint: "`whetstone train` makes one.",
      });
}
