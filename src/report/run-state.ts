import type { RunCommand, RunEvent, Stage, StepAction } from "../core/events.ts";
import type { Json } from "../core/json.ts";
import type { Cost } from "../core/ports/executor.ts";
import { gateScore } from "../core/gate/score.ts";
import type { TrainSettings } from "../core/settings.ts";
import type { Role } from "../core/ports/model.ts";
import { addCost, noCost } from "../core/spend.ts";

/** What is known of a run from its events: the one read model of terminal, list and report. */
export interface RunState {
  readonly run: string;
  readonly command: RunCommand;
  readonly status: "running" | "done" | "stopped" | "removed";
  /** The error's code when stopped. */
  readonly code?: string;
  readonly message: string;
  readonly summary?: Json;
  readonly skill: string;
  readonly models: Readonly<Record<string, string>>;
  readonly tasks: Readonly<Record<"train" | "val" | "test", number>>;
  readonly settings: Json;
  readonly folder: string;
  /** First start, start of the latest execution, and last event: milliseconds since the epoch. */
  readonly startedAt: number;
  readonly executionAt: number;
  readonly at: number;
  /** Executions so far, and the milliseconds that the ended ones took together. */
  readonly executions: number;
  readonly workedMs: number;
  /** Set when the latest execution only read a finished run again. */
  readonly finishedBefore: boolean;
  /** The number of the last event. */
  readonly seq: number;
  /** Results that the latest execution found in the journal when it began. */
  readonly resumed: number;
  readonly step: number;
  readonly steps: number;
  readonly epoch: number;
  /** Stages that have begun in the current step, by name; those of step 0 stay. */
  readonly stages: Readonly<Partial<Record<Stage, StageState>>>;
  readonly rows: readonly StepRow[];
  /** Val scores as the gate reads them; missing before the baseline is known. */
  readonly incumbent?: number;
  readonly best?: number;
  /** Booked so far: exact at the end of an execution, without failed calls during it. */
  readonly spent: Cost;
  /** What the results cost that this run bought, by role. */
  readonly costs: Readonly<Partial<Record<Role, Cost>>>;
  readonly bought: number;
  readonly fromJournal: number;
  readonly pending: number;
  /** Providers that throttle or do not answer, and what they said. */
  readonly lanes: Readonly<
    Record<string, { readonly state: string; readonly limit: number; readonly message: string }>
  >;
  /** Milliseconds that steps with bought results took in this execution, and how many there were. */
  readonly pace: {
    readonly ms: number;
    readonly steps: number;
    readonly stepAt: number;
    readonly stepBought: number;
  };
}

interface StageState {
  readonly step: number;
  readonly done: number;
  /** Zero where it is not known beforehand. */
  readonly total: number;
  readonly ended: boolean;
}

export interface StepRow {
  readonly step: number;
  readonly action: StepAction;
  readonly reason: string;
  readonly edits: number;
  readonly refused: number;
  readonly score?: number;
  /** Missing with `gate: off`. */
  readonly incumbent?: number;
  readonly best?: number;
}

/** The state after one more event. A state begins with `run-start`; earlier events say nothing by themselves. */
export function reduceRun(before: RunState | undefined, event: RunEvent): RunState | undefined {
  if (event.type === "run-start") return startExecution(before, event);
  if (before === undefined) return undefined;
  const state: RunState = { ...before, at: event.at, seq: event.seq };
  switch (event.type) {
    case "step-start": {
      const pace = { ...state.pace, stepAt: event.at, stepBought: state.bought };
      return { ...state, step: event.step, epoch: event.epoch, steps: event.steps, pace };
    }
    case "stage-start":
      return setStage(state, event.stage, { step: event.step, done: 0, total: event.total, ended: false });
    case "stage-end": {
      const stage = state.stages[event.stage] ?? {
        step: event.step,
        done: 0,
        total: event.total,
        ended: true,
      };
      return setBaseline(setStage(state, event.stage, { ...stage, ended: true }), event);
    }
    case "judge-calibrated":
    case "plan":
      return state;
    case "unit-end":
      return countUnit(state, event);
    case "unit-pending":
      return { ...state, pending: state.pending + 1 };
    case "lane-change": {
      const { lane, state: word, limit, message } = event;
      return { ...state, lanes: { ...state.lanes, [lane]: { state: word, limit, message } } };
    }
    case "step-end":
      return endStep(state, event);
    case "run-end": {
      const { status, code, message, summary, cost } = event;
      return {
        ...state,
        status,
        message,
        spent: cost,
        workedMs: state.workedMs + event.at - state.executionAt,
        ...(code === undefined ? {} : { code }),
        ...(summary === undefined ? {} : { summary }),
      };
    }
    case "run-removed":
      return { ...state, status: "removed" };
    default:
      return event satisfies never;
  }
}

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

/** Another execution replays its steps, so progress begins again; what was bought stays. */
function startExecution(before: RunState | undefined, event: EventOf<"run-start">): RunState {
  const { run, command, skill, models, tasks, settings, folder, steps, resumed, finished, spent, at, seq } =
    event;
  return {
    run,
    command,
    status: "running",
    message: "",
    skill,
    models,
    tasks,
    settings,
    folder,
    startedAt: before?.startedAt ?? at,
    executionAt: at,
    at,
    seq,
    executions: (before?.executions ?? 0) + 1,
    // an execution that was killed has no end of its own
    workedMs: (before?.workedMs ?? 0) + (before?.status === "running" ? before.at - before.executionAt : 0),
    finishedBefore: finished,
    resumed,
    step: 0,
    steps,
    epoch: 0,
    stages: {},
    rows: [],
    spent,
    costs: before?.costs ?? {},
    bought: 0,
    fromJournal: 0,
    pending: 0,
    lanes: {},
    pace: { ms: 0, steps: 0, stepAt: at, stepBought: 0 },
  };
}

const setStage = (state: RunState, name: Stage, stage: StageState): RunState => ({
  ...state,
  stages: { ...state.stages, [name]: stage },
});

/** The original's score is the first one to beat. */
function setBaseline(state: RunState, { stage, hard, soft }: EventOf<"stage-end">): RunState {
  if (stage !== "baseline" || hard === undefined || soft === undefined) return state;
  const { metric, mixedWeight } = state.settings as unknown as TrainSettings;
  const score = gateScore({ hard, soft }, metric, mixedWeight);
  return state.incumbent === undefined ? { ...state, incumbent: score, best: score } : state;
}

function countUnit(state: RunState, { stage: name, role, from, cost }: EventOf<"unit-end">): RunState {
  const stage = state.stages[name];
  const counted = stage === undefined ? state : setStage(state, name, { ...stage, done: stage.done + 1 });
  if (from === "journal") return { ...counted, fromJournal: state.fromJournal + 1 };
  return {
    ...counted,
    bought: state.bought + 1,
    spent: addCost(state.spent, cost),
    costs: { ...state.costs, [role]: addCost(state.costs[role] ?? noCost, cost) },
  };
}

function endStep(state: RunState, event: EventOf<"step-end">): RunState {
  const { step, action, reason, edits, refused, score, incumbent, best } = event;
  const standing = {
    ...(incumbent === undefined ? {} : { incumbent }),
    ...(best === undefined ? {} : { best }),
  };
  const row: StepRow = {
    step,
    action,
    reason,
    edits,
    refused,
    ...(score === undefined ? {} : { score }),
    ...standing,
  };
  const { pace } = state;
  // a step that came from the journal alone says nothing about the next ones
  const isReplay = state.bought === pace.stepBought;
  const measured = isReplay ? pace : { ...pace, ms: pace.ms + event.at - pace.stepAt, steps: pace.steps + 1 };
  return {
    ...state,
    rows: [...state.rows.filter((known) => known.step !== step), row],
    ...standing,
    pace: measured,
  };
}

/** Milliseconds until the end at the pace of this execution; undefined before the first step is through. */
export function timeLeft({ pace, step, steps }: RunState, now: number): number | undefined {
  if (pace.steps === 0 || step === 0) return undefined;
  const perStep = pace.ms / pace.steps;
  return Math.max(0, (steps - step + 1) * perStep - Math.min(now - pace.stepAt, perStep));
}
