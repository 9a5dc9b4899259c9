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

/** Something that a run can do, as a value: `perform` runs it, and the same `run` can be rehearsed. */
export interface Verb<Result, Summary> {
  readonly command: RunCommand;
  /** Who is called, beside a judge where tasks need one. A cap in money needs their prices. */
  readonly roles: readonly Role[];
  /** What it works with. Whatever does not count for it is left out, and so is not part of its id. */
  readonly resolved: Resolved;
  /** The run's id: the hash of everything that can change a decision. */
  readonly id: string;
  /** Where its artifacts go. @default the run's own folder beside the journal */
  readonly folder?: string;
  /** How many steps are planned. @default 0 */
  readonly steps?: number;
  /** The tasks that a claim will rest on: their checks are tried on degenerate answers first. */
  readonly claims?: readonly Task[];
  /** It calls nobody, so nobody is asked whether they answer. */
  readonly isFree?: boolean;
  /** It ends in a proposal: the run remembers where the live skill is, for adopt. */
  readonly proposes?: boolean;
  /** Who is asked for a sign of life before the work, where that is not everybody. @default roles */
  readonly firstAsked?: readonly Role[];
  /** They are asked anew for each of these words, whatever the journal holds. */
  readonly askedAnew?: string;
  /** Replaces parts of the first event, for what has no skill of its own. */
  readonly start?: Partial<EventBody & { readonly type: "run-start" }>;
  /** Whether config.json, summary.json and the report are left in the folder. @default true */
  readonly isReported?: boolean;
  /** Rehearsals go by it, beside the journal. They are drawn by the id unless there is a seed. */
  readonly hints?: { readonly seed?: string; readonly finds?: UsualFinds; readonly adopted?: number };
  /** What it will take, said to a person before the first call. @default nothing is said */
  announce?(plan: RunPlan): string;
  /** What it can show and what it cannot, said when it begins. @default nothing is said */
  provable?(journal: Journal | undefined): Promise<string>;
  /** The work itself. It has no effect but through its context and `write`. */
  run(context: Context, write: WriteArtifacts): Promise<Result>;
  /** What the result means. Never called in a rehearsal. */
  tell(result: Result, facts: RunFacts): Told<Summary> | Promise<Told<Summary>>;
}

/** A verb as far as it can be rehearsed. */
export type Rehearsable = Omit<Verb<unknown, never>, "tell">;

/** Writes files of the run; their names are paths below its folder. */
export type WriteArtifacts = (files: Artifacts) => Promise<void>;

/** What only the one who performs a verb knows of its run. */
export interface RunFacts {
  readonly run: string;
  readonly folder: string;
  /** What the results that the run uses cost, whoever bought them. */
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
  readonly costByRole: Readonly<Partial<Record<Role, Cost>>>;
  /** What the run itself has booked. */
  readonly spent: Cost;
}

export interface Told<Summary> {
  /** The verdict in one sentence. */
  readonly sentence: string;
  readonly summary: Summary;
  /** What the last event keeps of the summary. @default all of it */
  readonly logged?: Json;
  readonly artifacts?: Artifacts;
  /** What the figures of the summary are computed from, for `verify`. */
  readonly evidence?: Evidence;
  /** What a person may adopt. */
  readonly proposal?: ProposalInput;
}

/** What a performed verb came to. */
export interface Performed<Result, Summary> {
  readonly id: string;
  /** The folder of the artifacts. */
  readonly folder: string;
  readonly summary: Summary;
  readonly result: Result;
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** What the results cost that this run bought, by role; the others of `summary.cost` were in the journal. */
  readonly bought: Readonly<Partial<Record<Role | "total", PricedCost>>>;
  /** The run had finished before; nothing was bought now. */
  readonly finishedBefore: boolean;
}
