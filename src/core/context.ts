import type { Cost } from "./cost.ts";
import type { Place } from "./place.ts";
import type { Role } from "./ports/model.ts";
import type { EventBody } from "./events.ts";
import type { Agent } from "./ports/agent.ts";
import type { AnswerScore, CustomScorer, Performance, ScoringTools } from "./scorers/performance.ts";
import type { Executor } from "./ports/executor.ts";
import type { Journal } from "./ports/journal.ts";
import type { Clock } from "./ports/clock.ts";
import type { ScoreAside } from "./ports/scoring.ts";
import type { TrainSettings } from "./settings.ts";
import type { compose } from "./rules/compose.ts";
import type { SearchRule } from "./rules/search-rule.ts";
import type { Environment } from "./tasks/environment.ts";
import type { Skill } from "./skill/skill.ts";
import type { Invalid, Outcome, Scored } from "./tasks/outcome.ts";
import type { Task } from "./tasks/task.ts";
import type { Draw } from "./work/unit.ts";

/** Everything the loop may touch, passed and never imported. */
export interface Context {
  readonly run: string;
  readonly settings: TrainSettings;
  /** `provider/model` by role. */
  readonly models: Readonly<Record<Role, string>>;
  /** The models, by `provider/model`, whose requests can have further fields. @default none */
  readonly takesBody?: ReadonlySet<string>;
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
  /** Counts a result towards the run's cost, once per key; `isShared`: another run bought it. */
  readonly account: (key: string, role: Role, cost: Cost, isShared?: boolean) => void;
  /** Calls for the same key at the same time are one call. */
  readonly inFlight: Map<string, Promise<unknown>>;
  /** Results that this execution has asked for so far, and how many of them are missing. */
  readonly asked: { results: number; missing: number };
  /**
   * Ids of tasks that a person left out: what the journal has of them counts, and nobody is asked for more. Missing where
   * tasks cannot be left out, as in a night.
   */
  readonly leftOut?: ReadonlySet<string>;
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
  /** A rollout that is one plain question, drawn without a unit; undefined where it is more than that. */
  readonly roll: (
    task: Task,
    skill: Skill,
    plan: { readonly draw: Draw; readonly place: Place; readonly wording?: number },
  ) => Promise<Scored> | undefined;
  /** Nobody has proposed it, so its results are drawn, too. */
  readonly isDrawn: (rule: SearchRule) => boolean;
  /** The text that rules make of a base; about, if they are drawn. */
  readonly compose: typeof compose;
}
