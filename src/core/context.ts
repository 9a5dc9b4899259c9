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

/** Everything the loop may touch. It's passed in, never imported. */
export interface Context {
  readonly run: string;
  readonly settings: TrainSettings;
  /** `provider/model` by role. */
  readonly models: Readonly<Record<Role, string>>;
  /** The models, by `provider/model`, whose requests can carry extra fields. @default none */
  readonly takesBody?: ReadonlySet<string>;
  readonly environment: Environment;
  /** The target, when it's an agent with tools. */
  readonly agent?: Pick<Agent, "id" | "version">;
  /** Functions for `custom` checks, by the name used in the tasks. */
  readonly customScorers: ReadonlyMap<string, CustomScorer>;
  /** Runs slow checks off the event loop. @default everything is scored right away */
  readonly scoreAside?: ScoreAside;
  readonly journal: Journal;
  readonly executor: Executor;
  readonly clock: Clock;
  readonly emit: (event: EventBody) => void;
  /** Once it's aborted, nothing new starts. The executor's owner waits for calls in flight. */
  readonly signal: AbortSignal;
  /** Counts a result towards the run's cost, once per key. `isShared`: another run paid for it. */
  readonly account: (key: string, role: Role, cost: Cost, isShared?: boolean) => void;
  /** Concurrent calls for the same key are made once. */
  readonly inFlight: Map<string, Promise<unknown>>;
  /** How many results this execution has asked for so far, and how many of them are missing. */
  readonly asked: { results: number; missing: number };
  /**
   * Ids of tasks that a person left out. Their recorded results count, but no new calls are made for them.
   * Missing where tasks can't be left out, as in a night.
   */
  readonly leftOut?: ReadonlySet<string>;
  /** Set when results are drawn instead of bought. */
  readonly rehearsal?: Rehearsing;
}

/** Drawn rollouts carry their own score, because checks or an environment can't score a made-up answer. */
export interface Rehearsing {
  readonly score: (
    task: Task,
    performance: Performance,
    tools: ScoringTools,
  ) => Promise<AnswerScore | Invalid>;
  readonly settle: (outcome: Outcome) => Outcome;
  /** Draws a rollout that is one plain question, without a unit; undefined for any other rollout. */
  readonly roll: (
    task: Task,
    skill: Skill,
    plan: { readonly draw: Draw; readonly place: Place; readonly wording?: number },
  ) => Promise<Scored> | undefined;
  /** Whether the rule itself was drawn, so its results have to be drawn too. */
  readonly isDrawn: (rule: SearchRule) => boolean;
  /** The text that rules make of a base; approximate if the rules are drawn. */
  readonly compose: typeof compose;
}
