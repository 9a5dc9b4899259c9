import { type EndedStep, endedStepSchema } from "../core/step-record.ts";
import type { ModelHosts } from "../core/describe-models.ts";
import type { Evidence } from "../core/evidence.ts";
import type { RunCommand, RunEvent } from "../core/events.ts";
import type { Stage } from "../core/place.ts";
import type { Json } from "../core/json.ts";
import { type Cost, addCost, noCost } from "../core/cost.ts";
import { gateScore } from "../core/gate/score.ts";
import { beginning, milestoneOf, passMilestone } from "../core/rehearse/course.ts";
import type { Forecast, PassedMilestone } from "../core/rehearse/forecast.ts";
import { type PaceClock, type SeenPace, createPaceClock } from "../core/rehearse/pace.ts";
import type { SpendCaps, TrainSettings } from "../core/settings.ts";
import type { Role } from "../core/ports/model.ts";
import type { StageSpan } from "./model.ts";
import { createTimeline, type Timeline } from "./timeline.ts";
import { type ReplyCount, type ReplyCounter, countUnusable } from "./unusable-replies.ts";

/** A run's state from its events: the one read model for terminal, list and report. */
export interface RunState {
  readonly run: string;
  readonly command: RunCommand;
  readonly status: "running" | "done" | "stopped" | "removed";
  /** The error's code if stopped. */
  readonly code?: string;
  readonly message: string;
  /** The next step if stopped. */
  readonly next?: string;
  readonly summary?: Json;
  /** The data behind the summary's figures. */
  readonly evidence?: Evidence;
  readonly skill: string;
  /** The skill's own name; missing if it doesn't have one. */
  readonly skillName?: string;
  /** The path it was read from; missing if it was given in code. */
  readonly skillPath?: string;
  readonly models: Readonly<Record<string, string>>;
  /** Hosts of models that aren't at their vendor's own. */
  readonly hosts?: ModelHosts;
  readonly tasks: Readonly<Record<"train" | "val" | "test", number>>;
  readonly settings: Json;
  /** Ids of tasks left out by a person. */
  readonly leftOut?: readonly string[];
  /** Assertions of the suite that the tasks leave out. */
  readonly leftAside?: readonly string[];
  readonly folder: string;
  /** First start, start of the latest execution, and last event, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly executionAt: number;
  readonly at: number;
  /** Executions so far, and the milliseconds that the ended ones took together. */
  readonly executions: number;
  readonly workedMs: number;
  /** Set if the latest execution only read a finished run again. */
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
  readonly rows: readonly EndedStep[];
  /** Changes outside of steps, and finally why the search ended. */
  readonly turns: readonly TurnEnd[];
  /** Val scores as the gate reads them; missing until the baseline, the original's score, is known. */
  readonly baseline?: number;
  readonly incumbent?: number;
  readonly best?: number;
  /** The cost so far: exact at the end of an execution, without failed calls during it. */
  readonly spent: Cost;
  /** The cost of the results that this run bought, by role. */
  readonly costs: Readonly<Partial<Record<Role, Cost>>>;
  /** The same by role and stage. */
  readonly stageCosts: readonly { readonly role: Role; readonly stage: Stage; readonly cost: Cost }[];
  /** When each stage ran, on a clock that stops between executions. */
  readonly timeline: readonly StageSpan[];
  /** Failed calls by class over all executions, with the last message of each; most frequent first. */
  readonly failures: readonly FailureCount[];
  /** Unusable replies of the latest execution, most frequent first. */
  readonly replies: readonly ReplyCount[];
  readonly bought: number;
  readonly fromJournal: number;
  readonly pending: number;
  /** Providers that rate limit or don't answer, with their messages. */
  readonly lanes: Readonly<
    Record<string, { readonly state: string; readonly limit: number; readonly message: string }>
  >;
  /** Caps of the latest execution. */
  readonly caps: SpendCaps;
  /** The forecast from the rehearsals before it. */
  readonly forecast?: Forecast;
  /** The last milestone of the forecast that it passed, and the rate of results; `timeLeft` uses both. */
  readonly passed: PassedMilestone;
  readonly pace: SeenPace;
  readonly announced?: number;
  /** The search is over, and the final measurements are running. */
  readonly isSearched: boolean;
}

/** Guidance at the end of an epoch, or the end of the search. */
export type TurnEnd = Omit<EventOf<"turn-end">, "type" | "v" | "seq" | "at" | "run">;

export interface FailureCount {
  readonly class: string;
  readonly count: number;
  readonly message: string;
}

interface StageState {
  readonly step: number;
  /** Answers, not counting those of a judge that scores them. */
  readonly done: number;
  /** Answers of the judge on them. */
  readonly judged: number;
  /** Zero if it isn't known in advance. */
  readonly total: number;
  readonly ended: boolean;
}

export interface RunReader {
  /** Adds one more event. A state begins with `run-start`; earlier events are ignored. */
  add(event: RunEvent): void;
  /** The current state, as data that later events don't change. */
  state(): RunState | undefined;
}

/** Reads the events of one run, in order. The time per event is constant, because a run may have millions. */
export function createRunReader(): RunReader {
  let draft: Draft | undefined;
  return {
    add(event) {
      if (event.type === "run-start") draft = startExecution(draft, event);
      else if (draft !== undefined) apply(draft, event);
    },
    state: () => (draft === undefined ? undefined : snapshot(draft)),
  };
}

/** The state of a run after all of its events. */
export function readEvents(events: Iterable<RunEvent>): RunState | undefined {
  const reader = createRunReader();
  for (const event of events) reader.add(event);
  return reader.state();
}

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The growing state: lists and costs are changed in place, and copied on request. */
interface Draft {
  readonly head: Mutable<
    Omit<
      RunState,
      | "stages"
      | "rows"
      | "turns"
      | "spent"
      | "costs"
      | "stageCosts"
      | "timeline"
      | "failures"
      | "replies"
      | "lanes"
      | "pace"
    >
  >;
  readonly stages: Map<Stage, Mutable<StageState>>;
  readonly rows: Map<number, EndedStep>;
  readonly turns: TurnEnd[];
  readonly spent: Mutable<Cost>;
  readonly costs: Map<Role, Map<Stage, Mutable<Cost>>>;
  readonly timeline: Timeline;
  readonly failures: Map<string, Mutable<FailureCount>>;
  readonly replies: ReplyCounter;
  readonly lanes: Map<string, RunState["lanes"][string]>;
  readonly pace: PaceClock;
}

function snapshot(draft: Draft): RunState {
  const { head, stages, rows, turns, spent, costs, timeline, failures, replies, lanes, pace } = draft;
  const stageCosts = [...costs].flatMap(([role, byStage]) =>
    [...byStage].map(([stage, cost]) => ({ role, stage, cost: { ...cost } })),
  );
  return {
    ...head,
    pace: pace.seen(),
    stages: Object.fromEntries([...stages].map(([name, stage]) => [name, { ...stage }])),
    rows: [...rows.values()],
    turns: [...turns],
    spent: { ...spent },
    costs: Object.fromEntries(
      [...costs].map(([role, byStage]) => [role, [...byStage.values()].reduce(addCost, noCost)]),
    ),
    stageCosts,
    timeline: timeline.spans(),
    failures: Array.from(failures.values(), (failure) => ({ ...failure })).toSorted(
      (a, b) => b.count - a.count,
    ),
    replies: replies.list(),
    lanes: Object.fromEntries(lanes),
  };
}

/** Another execution replays its steps, so progress begins again; bought results stay. */
function startExecution(before: Draft | undefined, event: EventOf<"run-start">): Draft {
  const { run, command, skill, models, tasks, settings, folder, steps, resumed, finished, spent, at, seq } =
    event;
  const known = before?.head;
  // a killed execution has no end event
  const lost = known?.status === "running" ? known.at - known.executionAt : 0;
  const workedMs = (known?.workedMs ?? 0) + lost;
  const timeline = before?.timeline ?? createTimeline();
  timeline.begin(at, workedMs);
  return {
    head: {
      run,
      command,
      status: "running",
      message: "",
      skill,
      skillName: event.skillName,
      skillPath: event.skillPath,
      models,
      hosts: event.hosts,
      tasks,
      settings,
      ...(event.leftOut === undefined ? {} : { leftOut: event.leftOut }),
      ...(event.leftAside === undefined ? {} : { leftAside: event.leftAside }),
      folder,
      startedAt: known?.startedAt ?? at,
      executionAt: at,
      at,
      seq,
      executions: (known?.executions ?? 0) + 1,
      workedMs,
      finishedBefore: finished,
      resumed,
      step: 0,
      steps,
      epoch: 0,
      bought: 0,
      fromJournal: 0,
      pending: 0,
      caps: event.caps ?? {},
      passed: beginning,
      isSearched: false,
    },
    stages: new Map(),
    rows: new Map(),
    turns: [],
    spent: { ...spent },
    costs: before?.costs ?? new Map(),
    timeline,
    failures: before?.failures ?? new Map(),
    replies: countUnusable(),
    lanes: new Map(),
    pace: createPaceClock(at, rememberedResults),
  };
}

/** Enough that the pace follows growing concurrency, but isn't upset by one slow answer. */
const rememberedResults = 100;

function apply(draft: Draft, event: Exclude<RunEvent, { readonly type: "run-start" }>): void {
  const { head, stages, timeline } = draft;
  head.at = event.at;
  head.seq = event.seq;
  switch (event.type) {
    case "unit-end":
      return countUnit(draft, event);
    case "step-start":
      head.step = event.step;
      head.epoch = event.epoch;
      head.steps = event.steps;
      return;
    case "stage-start":
      stages.set(event.stage, { step: event.step, done: 0, judged: 0, total: event.total, ended: false });
      if (head.isSearched && event.stage === "test")
        head.announced = event.total + (draft.pace.seen().lines["test target"]?.done ?? 0);
      return timeline.start(event);
    case "stage-end": {
      const { step, total } = event;
      const stage = stages.get(event.stage);
      if (stage === undefined) stages.set(event.stage, { step, done: 0, judged: 0, total, ended: true });
      else stage.ended = true;
      timeline.end(event);
      return setBaseline(draft, event);
    }
    case "unit-pending":
      head.pending += 1;
      return countFailure(draft, event);
    case "reply-unusable":
      return draft.replies.add(event);
    case "lane-change": {
      const { lane, state, limit, message } = event;
      draft.lanes.set(lane, { state, limit, message });
      return;
    }
    case "forecast":
      head.forecast = event.forecast;
      // rehearsing took time, too
      return draft.pace.skipTo(event.at);
    case "step-end":
      endStep(draft, event);
      return passBy(draft, event);
    case "search-end":
      head.isSearched = true;
      return passBy(draft, event);
    case "turn-end": {
      const { turn, step, epoch, action, reason, score } = event;
      draft.turns.push({ turn, step, epoch, action, reason, score });
      head.incumbent = score ?? head.incumbent;
      return;
    }
    case "evidence":
      head.evidence = event.evidence;
      return;
    case "run-end":
      return endRun(draft, event);
    case "run-removed":
      head.status = "removed";
      return;
    case "request-trimmed":
    case "judge-calibrated":
    case "plan":
    case "try-start":
    case "try-failed":
      return;
    default:
      return event satisfies never;
  }
}

/** The original's score is the first one to beat. */
function setBaseline({ head }: Draft, { stage, hard, soft }: EventOf<"stage-end">): void {
  if (stage !== "baseline" || hard === undefined || soft === undefined || head.incumbent !== undefined)
    return;
  const { metric, mixedWeight } = head.settings as unknown as TrainSettings;
  const score = gateScore({ hard, soft }, metric, mixedWeight);
  head.baseline = score;
  head.incumbent = score;
  head.best = score;
}

function countUnit(draft: Draft, event: EventOf<"unit-end">): void {
  const { head, stages, spent, costs, timeline } = draft;
  const { stage: name, role, from, cost } = event;
  // results bought before their stage begins are read again when it does
  const stage = stages.get(name) ?? { step: event.step, done: 0, judged: 0, total: 0, ended: true };
  stages.set(name, stage);
  if (role === "judge" && name !== "calibrate") stage.judged += 1;
  else stage.done += 1;
  if (from === "journal") {
    head.fromJournal += 1;
    if (head.bought === 0) draft.pace.skipTo(event.at);
    if (name === "test" && head.announced !== undefined) head.announced -= 1;
  }
  if (from !== "provider") return;
  head.bought += 1;
  // an environment costs nothing apart from its calls
  if (cost.calls > 0) draft.pace.add(event);
  timeline.work(event);
  book(spent, cost);
  let byStage = costs.get(role);
  if (byStage === undefined) costs.set(role, (byStage = new Map()));
  const booked = byStage.get(name);
  if (booked === undefined) byStage.set(name, { ...cost });
  else book(booked, cost);
}

function book(sum: Mutable<Cost>, { nanoUsd, tokens, calls }: Cost): void {
  sum.nanoUsd += nanoUsd;
  sum.tokens += tokens;
  sum.calls += calls;
}

function countFailure({ failures }: Draft, event: EventOf<"unit-pending">): void {
  const { class: name, message } = event;
  const known = failures.get(name);
  if (known === undefined) failures.set(name, { class: name, count: 1, message });
  else {
    known.count += 1;
    known.message = message;
  }
}

function endStep({ head, rows }: Draft, event: EventOf<"step-end">): void {
  const row = endedStepSchema.safeParse(event).data;
  if (row === undefined) return;
  rows.set(row.step, row);
  head.incumbent = row.current.score ?? head.incumbent;
  head.best = row.best.score ?? head.best;
}

function passBy({ head, pace }: Draft, event: EventOf<"step-end" | "search-end">): void {
  const milestone = milestoneOf(event);
  const known = head.forecast?.milestones ?? [];
  // in a long run, not every step is a milestone
  if (milestone !== undefined && known.some(({ after }) => after === milestone.after))
    head.passed = passMilestone(milestone, pace);
}

function endRun({ head, spent, timeline }: Draft, event: EventOf<"run-end">): void {
  const { status, code, message, next, summary, cost, at } = event;
  head.status = status;
  head.message = message;
  head.workedMs += at - head.executionAt;
  if (code !== undefined) head.code = code;
  if (next !== undefined) head.next = next;
  if (summary !== undefined) head.summary = summary;
  Object.assign(spent, cost);
  timeline.stop();
}

/** Whether the search currently builds on the original. */
export const isAtOriginal = ({ rows }: Pick<RunState, "rows">): boolean =>
  (rows.at(-1)?.best.step ?? 0) === 0;
