import { type Skill } from "../../core/skill/skill.ts";
import type { Rolled } from "../../core/stages/rollout.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import type { Guarded, GuardFacts } from "../../core/rules/learned/guard-rule.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { LearnedRule, LearnedEdit } from "../../core/rules/learned/learned-rule.ts";
import type { Wish } from "../wishes/wish.ts";

export interface NightSettings {
  /** `off`: rules are proposed without being measured, and every output says so. */
  readonly gate: "on" | "off";
  readonly evolveSkill: boolean;
  readonly evolveMemory: boolean;
  /** The most learned rule edits per document and night. */
  readonly editBudget: number;
  /** Rollouts of each train task. */
  readonly attempts: number;
  /** Pairs of rollouts of each task that rules are measured on. */
  readonly trials: number;
  /** How many undecided rules of one document are measured at a time. */
  readonly maxOpenRules: number;
  /** The most tasks that they are measured on. */
  readonly maxTasks: number;
}

/** The tasks of one document. */
export interface DocumentTasks {
  readonly train: readonly MinedTask[];
  readonly val: readonly MinedTask[];
  /** The regression set. */
  readonly regression: readonly MinedTask[];
  /** Tasks of earlier nights. A wish is measured on those of its habit that it wasn't measured on yet. @default none */
  readonly earlier?: readonly MinedTask[];
}

/** One rollout of a night. */
export interface NightRoll {
  readonly split: "train" | "val" | "regression";
  readonly trial: number;
  /** Ids of the rules that the text had in addition to the document. */
  readonly holds: readonly string[];
  readonly rolled: Rolled;
}

export interface NightInput {
  /** The night's name. Every night draws its results afresh, each once. */
  readonly night: string;
  readonly documents: readonly Document[];
  /** By document id. */
  readonly tasks: ReadonlyMap<string, DocumentTasks>;
  /** All known rules, of any status, oldest first. */
  readonly rules: readonly LearnedRule[];
  /** All known wishes, of any state, including tonight's sentences. */
  readonly wishes: readonly Wish[];
  /** Fingerprints of text from tools and the web. */
  readonly untrusted: ReadonlySet<string>;
  /** The person's house preferences, for the optimizer; may be empty. */
  readonly preferences: string;
  readonly settings: NightSettings;
  /** Questions are answered by hand, in rounds. Predictable questions of the next round are then asked early. @default false */
  readonly inRounds?: boolean;
  readonly guardRule: GuardEdit;
  readonly environmentFor: EnvironmentMaker;
}

/** Refuses edits that must never become a rule. */
export type GuardEdit = (edit: LearnedEdit, facts: GuardFacts) => Guarded;

/** Makes the replay of tasks with a document of this kind, along with everything else that the agent reads. */
export type EnvironmentMaker = (
  kind: Document["kind"],
  beside: { readonly skills: readonly Skill[]; readonly memory: string },
) => Environment;

export interface NightResult {
  readonly night: string;
  /** `off`: none of it is verified. */
  readonly gate: "on" | "off";
  readonly documents: readonly DocumentNight[];
  /** All rules after the night: the known ones, oldest first, then the new ones. */
  readonly rules: readonly LearnedRule[];
  /** Why nothing was learned, in one sentence; missing if something was. */
  readonly flat?: string;
  readonly diagnostics: Diagnostics;
}

/** A night's result for one document. */
export interface DocumentNight {
  readonly document: Document;
  /** Every rule of this document, oldest first. */
  readonly rules: readonly LearnedRule[];
  /** The text with all proven and stated rules. */
  readonly proposed: Skill;
  /** The text with the promising rules too: open ones that have helped so far. */
  readonly promising: Skill;
  /** Edits that never became a rule, each with a reason. */
  readonly unmatched: readonly UnmatchedEdit[];
}

export interface UnmatchedEdit {
  /** The edit of the optimizer or the rule, in its own words. */
  readonly text: string;
  readonly reason: string;
}

/** Details that explain a night's result. */
export interface Diagnostics {
  readonly tasks: readonly TaskDiagnostic[];
  /** The start of the optimizer's last reply, by document. */
  readonly optimizer: readonly { readonly document: string; readonly reply: string }[];
  /** The last call that failed, in the provider's words. */
  readonly callError?: string;
}

export interface TaskDiagnostic extends Pick<NightRoll, "split" | "holds" | "trial"> {
  readonly document: string;
  readonly task: string;
  /** Kinds of its checks, or `answers`. */
  readonly check: string;
  /** Null without a result. */
  readonly hard: number | null;
  readonly soft: number | null;
  readonly responseLength: number;
  /** Its first 200 characters. */
  readonly responseHead: string;
  readonly why: string;
}
