import type { EventBody, Stage } from "./events.ts";
import type { Agent } from "./ports/agent.ts";
import type { CustomScorer } from "./scorers/score-task.ts";
import type { Cost, Executor } from "./ports/executor.ts";
import type { Journal } from "./ports/journal.ts";
import type { Clock } from "./ports/clock.ts";
import type { Role } from "./ports/model.ts";
import type { ScoreAside } from "./ports/scoring.ts";
import type { Speculation } from "./speculation.ts";
import type { TrainSettings } from "./settings.ts";
import type { Environment } from "./tasks/environment.ts";

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
  readonly speculation?: Speculation | undefined;
}

/** Results on their way, by key. */
export type InFlight = Pick<Map<string, Promise<unknown>>, "get" | "delete"> & {
  set(key: string, result: Promise<unknown>): unknown;
};

/** Where a unit belongs, for events and reports; not part of its key. */
export interface Place {
  readonly role: Role;
  readonly step: number;
  readonly stage: Stage;
  /** One try only, as in preflight. */
  readonly once?: boolean;
  /** Yields to everything that the next decision waits for. */
  readonly background?: boolean;
  /**
   * Nobody knows yet whether it is needed, so it never waits for budget. `spare` yields to what a decision waits for and
   * goes before the background; `at-once` does not yield: whatever the decision, it does not wait for that alone.
   */
  readonly ahead?: "at-once" | "spare";
  /** The block of a claim that it belongs to: whoever executes it begins the whole block together. */
  readonly block?: string;
}
