import type {
  EvaluationReport,
  RolloutReport,
  RunReport,
  StandaloneData,
  StepReport,
} from "../../report/model.ts";
import { buildStep } from "../../report/build-report.ts";
import { refOf } from "../../report/rollouts-of.ts";
import { embedData, embeddedBytes } from "../../report/embed-data.ts";
import { rolloutReport } from "./read-report.ts";
import { readResultRows } from "./read-results.ts";
import { readStepFolder } from "./read-run-folder.ts";

/** The largest standalone file, in bytes. */
const maxBytes = 20_000_000;

export interface Standalone {
  readonly html: string;
  readonly bytes: number;
  /** A sentence about what was left out. */
  readonly note: string;
}

/** One file that shows a run offline: the app with every step and as many transcripts as fit. */
export async function standaloneReport(report: RunReport, folder: string, app: string): Promise<Standalone> {
  const steps = await readSteps(report, folder);
  const travelling = withoutPlaces(report);
  const shown = leanReport(travelling, maxBytes - Buffer.byteLength(app) - embeddedBytes(steps));
  const fixed: StandaloneData = { v: report.v, report: shown, steps, rollouts: [], note: "" };
  const room = maxBytes - Buffer.byteLength(app) - embeddedBytes(fixed) - noteBytes;
  const { rollouts, total, changed } = await chooseTranscripts(shown, folder, room);
  const note = noteOf(rollouts.length, total, changed, shown !== travelling);
  const html = embedData(app, { ...fixed, rollouts, note });
  return { html, bytes: Buffer.byteLength(html), note };
}

/** Removes this machine's paths, which are nobody else's business. */
function withoutPlaces(report: RunReport): RunReport {
  const { proposal } = report;
  if (proposal === undefined) return report;
  const files = proposal.files.map(({ path, op, before, after }) => ({ path, op, before, after }));
  return { ...report, proposal: { ...proposal, files } };
}

const noteBytes = 1000;

async function readSteps(report: RunReport, folder: string): Promise<readonly StepReport[]> {
  const steps: StepReport[] = [];
  for (const { step } of report.steps) {
    const built = buildStep(report, step, await readStepFolder(folder, step));
    if (built !== undefined) steps.push(built);
  }
  return steps;
}

/** If even the scores don't fit, leaves out those of the steps; the tables of tasks and gates have them summed up. */
function leanReport(report: RunReport, room: number): RunReport {
  if (embeddedBytes(report) <= room) return report;
  return { ...report, evaluations: report.evaluations.filter(({ step }) => step === 0) };
}

interface Chosen {
  readonly rollouts: readonly RolloutReport[];
  /** The number of all rollouts, and of tasks whose result changed. */
  readonly total: number;
  readonly changed: number;
}

/** Transcripts of changed tasks come first, starting with the arms that show the change; then the rest in run order. */
async function chooseTranscripts(report: RunReport, folder: string, room: number): Promise<Chosen> {
  const { tasks, evaluations } = report;
  const changed = new Set(
    tasks.flatMap(({ flags }, place) =>
      flags.includes("improved") || flags.includes("regressed") ? [place] : [],
    ),
  );
  const isArm = ({ step }: EvaluationReport) => step === 0;
  const isChanged = ({ task }: EvaluationReport, row: number) => changed.has(task[row] ?? -1);
  const turns: readonly ((evaluation: EvaluationReport, row: number) => boolean)[] = [
    (evaluation, row) => isArm(evaluation) && isChanged(evaluation, row),
    (evaluation, row) => !isArm(evaluation) && isChanged(evaluation, row),
    (evaluation, row) => isArm(evaluation) && !isChanged(evaluation, row),
    (evaluation, row) => !isArm(evaluation) && !isChanged(evaluation, row),
  ];
  const rollouts: RolloutReport[] = [];
  let left = room;
  for (const belongs of turns) {
    for (const evaluation of evaluations) {
      const rows = [...evaluation.task.keys()].filter((row) => belongs(evaluation, row));
      if (rows.length === 0 || left < smallest) continue;
      const found = await readResultRows(folder, evaluation.name);
      for (const row of rows) {
        const result = found[row];
        if (result === undefined) continue;
        const rollout = rolloutReport(refOf(evaluation, row), result);
        const bytes = embeddedBytes(rollout) + 1;
        if (bytes > left) continue;
        rollouts.push(rollout);
        left -= bytes;
      }
    }
  }
  const total = evaluations.reduce((sum, { task }) => sum + task.length, 0);
  return { rollouts, total, changed: changed.size };
}

/** With less room than this, no transcript will fit. */
const smallest = 500;

function noteOf(held: number, total: number, changed: number, isLean: boolean): string {
  const scores = isLean ? " Scores of single rollouts in steps are left out." : "";
  if (held === total) return `This file contains all ${total} transcripts.${scores}`;
  return `This file contains ${held} of ${total} transcripts, starting with the ${changed} tasks whose result changed; \`whetstone ui\` shows all.${scores}`;
}
