import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import { readableText } from "../../core/files.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { compareLive } from "../../core/offer/compare-live.ts";
import { buildReport, buildStep } from "../../report/build-report.ts";
import {
  type ProposalReport,
  type RolloutReport,
  type RunOverview,
  type RunReport,
  type StepReport,
  reportVersion,
} from "../../report/model.ts";
import { refOf } from "../../report/rollouts-of.ts";
import { runOverview } from "../../report/run-overview.ts";
import { type RunReader, type RunState, createRunReader } from "../../report/run-state.ts";
import { findUnsafeFiles } from "../offer/adopt.ts";
import { livePath, readLive } from "../offer/live-skill.ts";
import { newPowers } from "../offer/powers-of.ts";
import { type OpenedProposal, openProposal } from "../offer/proposal.ts";
import { chosenSoFar, openChosen } from "../offer/choose.ts";
import { readDecided } from "../offer/decided.ts";
import { openReview } from "../offer/offers.ts";
import { type ResultMemory, type ResultRow, inputOf, readResultRow } from "./read-results.ts";
import { readRunFolder, readStepFolder } from "./read-run-folder.ts";
import { eventOf, listRuns, recordFolder } from "./runs.ts";

export interface ReportOptions {
  /** Knows the skill's location; without it, the report doesn't include the effect of adopting. */
  readonly journalDir?: string;
  /** Remembers what was read, for callers that ask often. */
  readonly memory?: ReportMemory;
}

export interface ReportMemory {
  readonly results: ResultMemory;
  /** By run. */
  readonly events: Map<string, KnownEvents>;
  /** By folder: the last report of a finished run. */
  readonly finished: Map<string, RunReport>;
}

interface KnownEvents {
  readonly reader: RunReader;
  /** The last event's number in the run, and in the journal. */
  seq: number;
  after: number;
}

export const createReportMemory = (): ReportMemory => ({
  results: new Map(),
  events: new Map(),
  finished: new Map(),
});

/** All runs, the most recently active first, each with its skill's path relative to the project's folder. */
export async function listRunOverviews(journal: Journal, project: string): Promise<readonly RunOverview[]> {
  return (await listRuns(journal))
    .map((run) => ({ ...runOverview(run), ...placeOf(run, project) }))
    .toReversed();
}

function placeOf({ skillPath }: RunState, project: string): Pick<RunOverview, "skillPath"> {
  if (skillPath === undefined) return {};
  const inside = relative(project, skillPath);
  return { skillPath: inside === "" ? "." : inside.startsWith("..") ? skillPath : inside };
}

/** Finished runs whose proposal could be adopted now, latest first. */
export async function listWaitingRuns(journal: Journal, journalDir: string): Promise<readonly RunOverview[]> {
  const runs = (await listRuns(journal)).map((run) => ({
    overview: { ...runOverview(run), ...placeOf(run, dirname(journalDir)) },
    folder: recordFolder(journalDir, run),
  }));
  return runs
    .filter(
      ({ overview, folder }) =>
        readProposal(overview, folder, journalDir)?.state === "ready" &&
        readDecided(journalDir, overview.id).rejected === undefined,
    )
    .map(({ overview }) => overview)
    .toReversed();
}

/** Everything about a run except transcripts and the details of single steps. */
export async function readRunReport(
  journal: Journal,
  run: string,
  folder: string,
  { journalDir, memory }: ReportOptions = {},
): Promise<RunReport> {
  const report =
    (await readFinished(journal, run, folder, memory)) ?? (await readAnew(journal, run, folder, memory));
  const proposal = readProposal(report.overview, folder, journalDir);
  return proposal === undefined ? report : { ...report, proposal };
}

/** Reads from the events and artifacts themselves. */
export async function readAnew(
  journal: Journal,
  run: string,
  folder: string,
  memory?: ReportMemory,
): Promise<RunReport> {
  const state = await readState(journal, run, memory);
  return buildReport(state, await readRunFolder(folder, memory?.results), Date.now());
}

/** One step in full. */
export async function readStepReport(
  journal: Journal,
  run: string,
  folder: string,
  step: number,
  { memory }: ReportOptions = {},
): Promise<StepReport> {
  const report = await readRunReport(journal, run, folder, { memory });
  const found = buildStep(report, step, await readStepFolder(folder, step));
  if (found !== undefined) return found;
  throw new WhetstoneError("not-found", `Run ${run} has no finished step ${step}.`, {
    hint: `\`whetstone runs show ${run}\` lists its steps.`,
  });
}

/** One rollout with its transcript; undefined if the run doesn't have it. */
export async function readRollout(
  journal: Journal,
  run: string,
  folder: string,
  ref: string,
  { memory }: ReportOptions = {},
): Promise<RolloutReport | undefined> {
  const { evaluations } = await readRunReport(journal, run, folder, { memory });
  const [, name, number] = /^(.+)#(\d{1,9})$/.exec(ref) ?? [];
  // the name comes from the report, so that a request never becomes a path
  const evaluation = evaluations.find((one) => one.name === name);
  if (evaluation === undefined) return undefined;
  const row = await readResultRow(folder, evaluation.name, Number(number));
  return row === undefined ? undefined : rolloutReport(refOf(evaluation, Number(number)), row);
}

export function rolloutReport(ref: ReturnType<typeof refOf>, row: ResultRow): RolloutReport {
  const { id, pending, feedback = "", conversation = [], extras, reply } = row;
  return {
    ...ref,
    task: id,
    input: inputOf(row),
    feedback: pending === undefined ? feedback : `No result: ${pending}.`,
    conversation,
    ...(extras === undefined ? {} : { extras }),
    ...(reply === undefined ? {} : { reply }),
  };
}

/** The file that a finished training leaves, so that opening it doesn't read every event and transcript again. */
export const reportFile = "report.json";

/** A finished run's own report; undefined if there is none, or if something happened since. */
async function readFinished(
  journal: Journal,
  run: string,
  folder: string,
  memory: ReportMemory | undefined,
): Promise<RunReport | undefined> {
  const known = memory?.finished.get(folder) ?? (await readReportFile(folder));
  if (known === undefined || known.overview.id !== run) return undefined;
  if (known.seq !== (await lastTurn(journal, run))) return undefined;
  memory?.finished.set(folder, known);
  return known;
}

async function readReportFile(folder: string): Promise<RunReport | undefined> {
  const text = await readFile(join(folder, reportFile), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const report = JSON.parse(text) as Omit<RunReport, "v"> & { readonly v: number };
  return report.v === reportVersion ? { ...report, v: reportVersion } : undefined;
}

/** The number of the last event that began, ended or removed the run; no other event comes after an end. */
async function lastTurn(journal: Journal, run: string): Promise<number> {
  let last = 0;
  for await (const entry of journal.read({
    kinds: ["event"],
    names: ["run-start", "run-end", "run-removed"],
  }))
    if (entry.run === run) last = eventOf(entry).seq;
  return last;
}

async function readState(journal: Journal, run: string, memory: ReportMemory | undefined): Promise<RunState> {
  const known = memory?.events.get(run) ?? { reader: createRunReader(), seq: 0, after: 0 };
  for await (const entry of journal.read({ run, kinds: ["event"], after: known.after })) {
    const event = eventOf(entry);
    // a journal that was cleaned up has new numbers, so the memory no longer fits
    if (memory !== undefined && known.seq > 0 && event.seq !== known.seq + 1) {
      memory?.events.delete(run);
      return readState(journal, run, undefined);
    }
    known.reader.add(event);
    known.seq = event.seq;
    known.after = entry.seq;
  }
  const state = known.reader.state();
  if (state === undefined) {
    throw new WhetstoneError("not-found", `Run ${run} doesn't exist.`, {
      hint: "`whetstone runs` lists them.",
    });
  }
  memory?.events.set(run, known);
  return state;
}

/** The run's proposal and the effect of adopting it now; undefined if it proposes nothing. */
function readProposal(
  { id, status, command }: RunOverview,
  folder: string,
  journalDir: string | undefined,
): ProposalReport | undefined {
  if (journalDir === undefined || status !== "done" || (command !== "train" && command !== "prune"))
    return undefined;
  try {
    const run = { run: id, folder, journalDir };
    if (openProposal(run).proposal.files.length === 0) return undefined;
    const review = openReview(run);
    const chosen = chosenSoFar(review);
    return reportProposal(chosen.rules.length === 0 ? openProposal(run) : openChosen(run, review, chosen));
  } catch (error) {
    // a skill given in code, or a folder that somebody changed, can't be adopted from here
    if (error instanceof WhetstoneError) return undefined;
    throw error;
  }
}

function reportProposal(opened: OpenedProposal): ProposalReport {
  const { proposal, live, original, proposed, whole = proposal } = opened;
  const { kind } = compareLive(proposal, (path) => readLive(live, path)?.hash ?? null);
  const isUnsafe = kind === "ready" && findUnsafeFiles(opened).length > 0;
  return {
    // a part is adopted only if the whole was proven
    proven: whole.proven,
    reason: proposal.reason,
    state: isUnsafe ? "unsafe" : kind,
    files: proposal.files.map(({ path, op }) => ({
      path,
      op,
      live: livePath(live, path),
      before: readableText(original(path)),
      after: readableText(proposed(path)),
    })),
    powers: newPowers(opened),
  };
}
