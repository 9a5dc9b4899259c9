import type { Place } from "./place.ts";
import type { Cost } from "./cost.ts";
import type { Role } from "./ports/model.ts";
import type { EventBody } from "./events.ts";
import type { Agent } from "./ports/agent.ts";
import type { AnswerScore, CustomScorer, Performance, ScoringTools } from "./scorers/performance.ts";
import type { Executor } from "./ports/executor.ts";
import type { Journal } from "./ports/journal.ts";
import type { Clock } from "./ports/clock.ts";
import type { ScoreAside } from "./ports/scoring.ts";
import type { TrainSettings } from "./settings.ts";
import type { Environment } from "./tasks/environment.ts";
import type { Invalid, Outcome } from "./tasks/outcome.ts";
import type { Task } from "./tasks/task.ts";

/** Everything the loop may touch, passed and never imported. */
export interface Context {
  readonly run: string;
  readonly settings: TrainSettings;
  /** `provider/model` by role. */
  readonly models: Readonly<Record<Role, string>>;
  readonly environment: Environment;
  /** The target when it is an agent with tools. */
  readonly agent?: Pick<Agent, "id" | "version">;
  /** Functions of `custom` checks, by their written name. */
  readonly customScorers: ReadonlyMap<string, CustomScorer>;
  /** Scores what may take long away from the event loop. @default all is scored at once */
  readonly scoreAside?: ScoreAside;
  readonly journal: Journal;
  readonly executor: Executor;
  readonly clock: Clock;
  readonly emit: (event: EventBody) => void;
  /** Aborted: nothing new begins; calls in flight are waited for by whoever owns the executor. */
  readonly signal: AbortSignal;
  /** Counts a result towards the run's cost, once per key. */
  readonly account: (key: string, role: Role, cost: Cost) => void;
  /** Calls for the same key at the same time are one call. */
  readonly inFlight: InFlight;
  /** Missing where nothing begins before it is needed. */
  readonly speculation?: Speculation;
  /** Set where results are drawn and not bought. */
  readonly rehearsal?: Rehearsing;
}

/** Drawn rollouts carry their own score: what checks or an environment would say of them means nothing. */
export interface Rehearsing {
  readonly score: (
    task: Task,
    performance: Performance,
    tools: ScoringTools,
  ) => Promise<AnswerScore | Invalid>;
  readonly settle: (outcome: Outcome) => Outcome;
}

/** Results on their way, by key. */
export type InFlight = Pick<Map<string, Promise<unknown>>, "get" | "delete"> & {
  set(key: string, result: Promise<unknown>): unknown;
};

/** Calls that begin before it is known that they are needed, bounded as a share of what the run spends. */
export interface Speculation {
  /** Runs a body whose only effect is what it leaves in the journal. Its failure means nothing. */
  begin(
    urgency: NonNullable<Place["ahead"]>,
    context: Context,
    body: (ahead: Context, stop: () => void) => Promise<unknown>,
  ): Branch;
  /** Resolves once no call ahead is under way for this key; undefined where none is. */
  settled(key: string): Promise<unknown> | undefined;
  /** The run uses a result. Tells whether it was bought ahead. */
  use(key: string): boolean;
  /** A result counts towards the run's cost: once for each that it uses. */
  count(role: Role, cost: Cost): void;
  /** Resolves when no call ahead is under way. */
  idle(): Promise<void>;
}

export interface Branch {
  /** It is the likelier one: what it could not yet afford, because it costs most or is needed last, may begin. */
  favour(): void;
  /** Nothing new begins; calls that wait or are under way are still wanted. */
  stop(): void;
  /** Nobody wants it: what waits is dropped. Calls under way end, because they are paid. */
  abandon(): void;
}
