import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Context } from "../../core/context.ts";
import type { Cost } from "../../core/cost.ts";
import type { EventBody, RunCommand } from "../../core/events.ts";
import type { Json } from "../../core/json.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import type { ProposalInput } from "../../core/offer/proposal.ts";
import type { UsualFinds } from "../../core/prompts/prompt.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { RunPlan } from "./run-plan.ts";
import type { Artifacts, PricedCost } from "../reports/artifacts.ts";

/** What a run does, as a value: `perform` runs it, and the same `run` can be rehearsed. */
export interface Verb<Result, Summary> {
  readonly command: RunCommand;
  /** The roles to call, apart from a judge that tasks may need. A cap in money needs their prices. */
  readonly roles: readonly Role[];
  /** Everything it works with. Settings that don't matter to it are left out, so they aren't part of its id. */
  readonly resolved: Resolved;
  /** The run's id: the hash of everything that can change a decision. */
  readonly id: string;
  /** The folder for its artifacts. @default the run's own folder next to the journal */
  readonly folder?: string;
  /** How many steps are planned. @default 0 */
  readonly steps?: number;
  /** The tasks a claim will rest on; their checks are first tried on degenerate answers. */
  readonly claims?: readonly Task[];
  /** It makes no API calls, so the connection check is skipped. */
  readonly isFree?: boolean;
  /** It ends in a proposal, so the run remembers where the live skill is, for adopt. */
  readonly proposes?: boolean;
  /** The roles in the connection check, if not all of them. @default roles */
  readonly firstAsked?: readonly Role[];
  /** The connection check is repeated for each new word, even if the journal has its result. */
  readonly askedAnew?: string;
  /** Replaces parts of the first event, for verbs without a skill of their own. */
  readonly start?: Partial<EventBody & { readonly type: "run-start" }>;
  /** Whether config.json, summary.json and the report are left in the folder. @default true */
  readonly isReported?: boolean;
  /** Used by rehearsals along with the journal. Their random draws come from the id unless there is a seed. */
  readonly hints?: { readonly seed?: string; readonly finds?: UsualFinds; readonly adopted?: number };
  /** The plan in words, shown before the first call. @default nothing is shown */
  announce?(plan: RunPlan): string;
  /** What it can and can't show, printed when it begins. @default nothing is printed */
  provable?(journal: Journal | undefined): Promise<string>;
  /** The work itself. Its only effects are through its context and `write`. */
  run(context: Context, write: WriteArtifacts): Promise<Result>;
  /** Explains the result. Never called in a rehearsal. */
  tell(result: Result, facts: RunFacts): Told<Summary> | Promise<Told<Summary>>;
}

/** A verb as far as it can be rehearsed. */
export type Rehearsable = Omit<Verb<unknown, never>, "tell">;

/** Writes files of the run; their names are paths below its folder. */
export type WriteArtifacts = (files: Artifacts) => Promise<void>;

/** Facts about the run that only `perform` knows. */
export interface RunFacts {
  readonly run: string;
  readonly folder: string;
  /** The cost of all results that the run uses, including those that other runs bought. */
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
  readonly costByRole: Readonly<Partial<Record<Role, Cost>>>;
  /** The cost that the run itself has booked. */
  readonly spent: Cost;
}

export interface Told<Summary> {
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly summary: Summary;
  /** The part of the summary that the last event keeps. @default all of it */
  readonly logged?: Json;
  readonly artifacts?: Artifacts;
  /** The data behind the summary's figures, for `verify`. */
  readonly evidence?: Evidence;
  /** The text a person may adopt. */
  readonly proposal?: ProposalInput;
}

/** The result of a performed verb. */
export interface Performed<Result, Summary> {
  readonly id: string;
  /** The folder of the artifacts. */
  readonly folder: string;
  readonly summary: Summary;
  readonly result: Result;
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** The cost of the results that this run bought, by role; the rest of `summary.cost` was already in the journal. */
  readonly bought: Readonly<Partial<Record<Role | "total", PricedCost>>>;
  /** The run had already finished, so nothing was bought now. */
  readonly finishedBefore: boolean;
}
