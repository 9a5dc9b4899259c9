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
  /** Most learned rule edits per document and night. */
  readonly editBudget: number;
  /** Rollouts of each train task. */
  readonly attempts: number;
  /** Pairs of rollouts of each task that rules are measured on. */
  readonly trials: number;
  /** How many undecided rules of one document are measured at a time. */
  readonly maxOpenRules: number;
  /** On how many tasks, at most. */
  readonly maxTasks: number;
}

/** The tasks of one document. */
export interface DocumentTasks {
  readonly train: readonly MinedTask[];
  readonly val: readonly MinedTask[];
  /** The standing set. */
  readonly regression: readonly MinedTask[];
  /** Tasks of earlier nights: a wish is measured on those of its habit that it has not met yet. @default none */
  readonly earlier?: readonly MinedTask[];
}

/** One rollout of a night. */
export interface NightRoll {
  readonly split: "train" | "val" | "regression";
  readonly trial: number;
  /** Ids of the rules that stood in the text beside what the document says. */
  readonly holds: readonly string[];
  readonly rolled: Rolled;
}

export interface NightInput {
  /** Its name: every result of a night is drawn afresh, and drawn once. */
  readonly night: string;
  readonly documents: readonly Document[];
  /** By document id. */
  readonly tasks: ReadonlyMap<string, DocumentTasks>;
  /** All that are known, of any status, oldest first. */
  readonly rules: readonly LearnedRule[];
  /** All that are known, of any state, with what was said tonight. */
  readonly wishes: readonly Wish[];
  /** Fingerprints of what came from tools and the web. */
  readonly untrusted: ReadonlySet<string>;
  /** House preferences of the person, for the optimizer; empty when there are none. */
  readonly preferences: string;
  readonly settings: NightSettings;
  /** Questions are answered in rounds, by hand: what the next round would ask is asked along where it can be foretold. @default false */
  readonly inRounds?: boolean;
  readonly guardRule: GuardEdit;
  readonly environmentFor: EnvironmentMaker;
}

/** What may never become a rule. */
export type GuardEdit = (edit: LearnedEdit, facts: GuardFacts) => Guarded;

/** The replay of tasks under a document of this kind, with everything else that the agent reads beside it. */
export type EnvironmentMaker = (
  kind: Document["kind"],
  beside: { readonly skills: readonly Skill[]; readonly memory: string },
) => Environment;

export interface NightResult {
  readonly night: string;
  /** `off`: nothing of it is verified. */
  readonly gate: "on" | "off";
  readonly documents: readonly DocumentNight[];
  /** All rules as they stand now: the known ones, oldest first, then the new ones. */
  readonly rules: readonly LearnedRule[];
  /** Why nothing was learned, in one sentence; missing on a night that learned something. */
  readonly flat?: string;
  readonly diagnostics: Diagnostics;
}

/** What a night came to for one document. */
export interface DocumentNight {
  readonly document: Document;
  /** Every rule of this document, oldest first. */
  readonly rules: readonly LearnedRule[];
  /** With all proven and stated rules. */
  readonly proposed: Skill;
  /** With the promising ones as well: open, and better with them than without so far. */
  readonly promising: Skill;
  /** Edits that never became a rule, each with why. */
  readonly unmatched: readonly UnmatchedEdit[];
}

export interface UnmatchedEdit {
  /** The optimizer's edit or the rule's, in its own words. */
  readonly text: string;
  readonly reason: string;
}

/** What a person needs to find out why a night went as it did. */
export interface Diagnostics {
  readonly tasks: readonly TaskDiagnostic[];
  /** By document: the optimizer's last reply as it came, its beginning only. */
  readonly optimizer: readonly { readonly document: string; readonly reply: string }[];
  /** The last call that failed, in the provider's words. */
  readonly callError?: string;
}

export interface TaskDiagnostic extends Pick<NightRoll, "split" | "holds" | "trial"> {
  readonly document: string;
  readonly task: string;
  /** Kinds of its checks, or `answers`. */
  readonly check: string;
  /** Null where there is no result. */
  readonly hard: number | null;
  readonly soft: number | null;
  readonly responseLength: number;
  /** Its first 200 characters. */
  readonly responseHead: string;
  readonly why: string;
}
