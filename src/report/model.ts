import type { OpenRule, StepAction, EndedStep } from "../core/step-record.ts";
import type { ModelHosts } from "../core/describe-models.ts";
import type { RunCommand } from "../core/events.ts";
import type { Stage } from "../core/place.ts";
import type { Estimate } from "../core/gate/estimate-score.ts";
import type { ArmCosts } from "../core/measure/arm-costs.ts";
import type { Evidence } from "../core/evidence.ts";
import type { Rule } from "../core/rules/rule.ts";
import type { ClaimWord, VerdictWord } from "../core/verdict-words.ts";
import type { BlindFacts } from "../core/blind-words.ts";
import type { Json } from "../core/json.ts";
import type { Cost } from "../core/cost.ts";
import type { Message, Role } from "../core/ports/model.ts";
import type { Decisions, Review } from "../core/offer/review.ts";
import type { EditReport } from "../core/skill/apply-edits.ts";
import type { Edit, RawPatch } from "../core/skill/edit.ts";
import type { SplitName } from "../core/tasks/task.ts";
import type { UnusableReply } from "../core/unusable-reply.ts";
import type { ReplyCount } from "./unusable-replies.ts";

/**
 * The data that people look at: JSON, the same for terminal, `whetstone report`, the server and the standalone file.
 * `v` grows with every change that an older reader would misread.
 */
export const reportVersion = 2;

export type { Estimate };

/** One line of the list of runs. */
export interface RunOverview {
  readonly v: typeof reportVersion;
  readonly id: string;
  readonly command: RunCommand;
  readonly status: "running" | "done" | "stopped" | "removed";
  /** The error's code if stopped. */
  readonly code?: string;
  /** The sealed verdict of a training, or the verdict of a comparison. */
  readonly verdict?: VerdictWord;
  /** The verdict, or the reason for the stop, in one sentence. */
  readonly sentence: string;
  /** The next thing to do; missing during the run. */
  readonly next?: string;
  /** In points of the score, 0 to 1; only from a sealed test or a comparison. */
  readonly gain?: Estimate;
  /** The hash of the original. */
  readonly skill: string;
  /** The skill's own name, if it has one. */
  readonly skillName?: string;
  /** The skill's path relative to the project's folder; only in lists, on the machine of the run. */
  readonly skillPath?: string;
  readonly models: Readonly<Record<string, string>>;
  /** Hosts of models that aren't at their vendor's own, by `provider/model`. */
  readonly hosts?: ModelHosts;
  readonly tasks: Readonly<Record<SplitName, number>>;
  /** Assertions of the suite that the tasks leave out: `latency (12 tasks)`. */
  readonly leftAside?: readonly string[];
  readonly step: number;
  readonly steps: number;
  readonly cost: Cost;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly at: number;
  /** Milliseconds of work, over all executions. */
  readonly workedMs: number;
}

/** Everything about a run except transcripts and the details of single steps. */
export interface RunReport {
  readonly v: typeof reportVersion;
  /** The number of the last event it includes. */
  readonly seq: number;
  readonly overview: RunOverview;
  readonly settings: Json;
  /** The original on val. */
  readonly baseline?: Estimate;
  readonly steps: readonly StepPoint[];
  /** Why the search ended, and the skill's score then; missing before that, and in older runs. */
  readonly end?: { readonly sentence: string; readonly action: StepAction; readonly score: number | null };
  readonly sealed?: SealedReport;
  readonly baselines?: { readonly noSkill: Estimate | null; readonly oneShot: Estimate | null };
  readonly costs: readonly { readonly role: Role; readonly stage: Stage; readonly cost: Cost }[];
  readonly timeline: readonly StageSpan[];
  /** Only during the run. */
  readonly live?: LiveReport;
  /** Failed calls by class, with the last message of each. */
  readonly failures: readonly { readonly class: string; readonly count: number; readonly message: string }[];
  /** Unusable replies by role and class, most frequent first; missing in older reports. */
  readonly replies?: readonly ReplyCount[];
  /** The original and every candidate, in the order of their steps. */
  readonly versions: readonly SkillVersion[];
  readonly rules: readonly RuleReport[];
  /** Gate decisions on guidance at the end of an epoch. */
  readonly epochs: readonly {
    readonly epoch: number;
    readonly action: StepAction;
    readonly reason: string;
  }[];
  readonly tasks: readonly TaskReport[];
  /** The scores of all rollouts, one entry per set of results; `rolloutsOf` turns them into rows. */
  readonly evaluations: readonly EvaluationReport[];
  /** The command's final summary, in its own shape. */
  readonly summary?: Json;
  /** The data behind the summary's figures; `whetstone verify` recomputes them. */
  readonly evidence?: Evidence;
  /** Present if the run has something to adopt. */
  readonly proposal?: ProposalReport;
}

export interface StepPoint
  extends Pick<EndedStep, "step" | "epoch" | "action" | "reason" | "budget" | "refused" | "refusals"> {
  /** The number of applied edits. */
  readonly applied: number;
  readonly candidate?: Estimate;
  /** After the step. */
  readonly incumbent?: number;
  readonly best?: number;
}

export interface SealedReport {
  /** Tasks left out by a person; they counted as lost. */
  readonly leftOut?: number;
  readonly original: Estimate;
  readonly best?: Estimate;
  readonly verdict?: ClaimWord;
  readonly p?: number;
  readonly alpha?: number;
  readonly read?: number;
  readonly trials: number;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Usage per rollout with each of them; missing in older runs. */
  readonly perRollout?: ArmCosts;
  /** The best single answer for all tasks; missing in older runs. */
  readonly constant?: NonNullable<BlindFacts["constant"]>["best"];
}

/** A run's progress at the moment of its report. */
export interface LiveReport {
  /** "step 3 of 8, epoch 1 of 2" */
  readonly place: string;
  /** Active stages, in order. */
  readonly stages: readonly StageProgress[];
  /** Models that delay the run, and why. */
  readonly troubles: readonly string[];
  /** The recent rate of results. */
  readonly perMinute?: number;
  /** Milliseconds until the end, if known. */
  readonly leftMs?: number;
  /** Time since this execution began, and since its last event. */
  readonly elapsedMs: number;
  readonly silentMs: number;
  readonly caps: readonly CapUse[];
}

export interface StageProgress {
  readonly stage: Stage;
  /** Its name for people. */
  readonly word: string;
  readonly done: number;
  /** Zero if it isn't known in advance. */
  readonly total: number;
  /** The total is only an upper bound. */
  readonly isBounded: boolean;
  /** "12/40" */
  readonly text: string;
}

/** A cap, and how much of it is used. */
export interface CapUse {
  readonly name: "Money" | "Tokens" | "Calls" | "Minutes";
  /** 1 means all of it. */
  readonly share: number;
  /** "$0.21 of $5" */
  readonly text: string;
}

export interface StageSpan {
  readonly step: number;
  readonly stage: Stage;
  /** Milliseconds since the run's first event, without the gaps between executions. */
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly pending: number;
}

export interface SkillVersion {
  /** 0 is the original. */
  readonly version: number;
  readonly step: number;
  readonly hash: string;
  /** The gate's decision; `original` for the first, `guidance` at the end of an epoch, `end` for the search's final text. */
  readonly action: StepAction | "original" | "guidance" | "end";
  readonly isBest: boolean;
  /** Text files by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** One rule that training wrote or removed in the final skill. If rules were measured one by one, the summary has them. */
export interface RuleReport {
  readonly file: string;
  readonly text: string;
  readonly tokens: number;
  readonly op: Edit["op"];
  readonly step: number;
  readonly source?: Edit["source"];
  /** Train tasks that asked for it. */
  readonly evidence: readonly string[];
  /** The val score before and after the step that added it; missing with `gate: rules`. */
  readonly before?: number;
  readonly after?: number;
}

export interface TaskReport {
  readonly id: string;
  readonly split: SplitName;
  /** The first 300 characters of the input; empty until a result is exported. */
  readonly input: string;
  /** Results so far, over all versions. */
  readonly rollouts: number;
  /** Its mean pass rate under the original and the best skill, if both were measured in the same way (test, or val). */
  readonly before?: number;
  readonly after?: number;
  readonly flags: readonly TaskFlag[];
}

/** `flaky`: trials of one version differ; `always-…`: under every version; the others: best compared with original. */
export type TaskFlag = "flaky" | "always-passes" | "always-fails" | "improved" | "regressed";

/** One set of results, column by column: row n of each list is one rollout, in the order of asking. */
export interface EvaluationReport {
  /** `steps/step_0002/selection_eval`; a rollout is `<name>#<row>`. */
  readonly name: string;
  readonly stage: Stage;
  /** 0 outside of steps. */
  readonly step: number;
  /** The skill, as in `RolloutRef`. */
  readonly version: number;
  /** Indexes into `tasks`. */
  readonly task: readonly number[];
  readonly trial: readonly number[];
  /** Null while the result is missing. */
  readonly hard: readonly (number | null)[];
  /** Left out if it's the same as `hard`. */
  readonly soft?: readonly (number | null)[];
  /** If each rollout had its own text: the rules of each text, and the text of each row. */
  readonly texts?: readonly (readonly number[])[];
  readonly text?: readonly number[];
}

export interface RolloutRef {
  /** Names the rollout within the run: `steps/step_0002/selection_eval#12`. */
  readonly ref: string;
  /** The skill: the version's number, or -1 for no skill, -2 for the one-shot rewrite, -3 for one that wasn't kept. */
  readonly version: number;
  /** The rules in its text, instead of a version. */
  readonly rules?: readonly number[];
  readonly step: number;
  readonly stage: Stage;
  readonly trial: number;
  /** Null while the result is missing. */
  readonly hard: number | null;
  readonly soft: number | null;
}

/** One rollout with its transcript. */
export interface RolloutReport extends RolloutRef {
  readonly task: string;
  readonly input: string;
  readonly feedback: string;
  readonly conversation: readonly Message[];
  readonly extras?: Json;
  /** Set if the target's reply was unusable. */
  readonly reply?: UnusableReply;
}

/** One step in full. */
export interface StepReport extends StepPoint {
  /** Each analyst's input and proposals. */
  readonly analysts: readonly RawPatch[];
  /** All edits after merging, with their merge level. */
  readonly merged: readonly Edit[];
  /** The edits that the ranking kept, best first, with reasons. */
  readonly selected: readonly Edit[];
  readonly edits: readonly EditReport[];
  readonly gate?: GateReport;
}

export interface GateReport {
  /** The gate's own figures, as recorded. */
  readonly evidence: Json;
  readonly p?: number;
  /** How many tasks were asked before the verdict was certain, out of all of val. */
  readonly asked: number;
  readonly of: number;
  /** Empty with `gate: rules`, which compares no candidate with an incumbent. */
  readonly pairs: readonly GatePair[];
  /** With `gate: rules`: the estimate of each rule after the step. */
  readonly rules?: readonly OpenRule[];
}

export interface GatePair {
  readonly task: string;
  readonly incumbent: number | null;
  readonly candidate: number | null;
  readonly outcome: "win" | "loss" | "tie" | "open";
  readonly ref?: string;
}

export interface ProposalReport {
  readonly proven: boolean;
  readonly reason: string;
  /** The effect of adopting now. */
  readonly state: "ready" | "adopted" | "changed" | "unsafe";
  readonly files: readonly {
    readonly path: string;
    readonly op: "add" | "replace" | "delete";
    /** The file to be written, on this machine; missing in a standalone file. */
    readonly live?: string;
    readonly before: string;
    readonly after: string;
  }[];
  /** New powers for an agent; those above a note must be acknowledged. */
  readonly powers: readonly NewPower[];
}

/** All proposals that could be adopted. */
export interface Proposals {
  /** Those of nights in any state, newest first. */
  readonly nights: readonly NightProposal[];
  /** Runs whose proposal can be adopted now, latest first. */
  readonly runs: readonly RunOverview[];
  /** For each adopted wish, one sentence on whether it has to be said less often since. */
  readonly helped: readonly string[];
}

/** A summary of a night's proposal for one document. */
export interface NightProposal extends Omit<Review, "v" | "rules" | "rejected"> {
  readonly v: typeof reportVersion;
  /** The file it is for, on this machine. */
  readonly live: string;
  /** The waiting rules, or all of them if none is waiting. */
  readonly rules: readonly Pick<Rule, "id" | "text" | "label">[];
  /** How many are neither in a file nor turned down. */
  readonly waiting: number;
}

/** A proposal of a training, a pruning or a night, with the effect of adopting now. */
export interface OfferReport {
  readonly v: typeof reportVersion;
  readonly review: Review;
  /** The main file, on this machine. */
  readonly live: string;
  /** Includes rules taken by default; a rule that is missing isn't taken. */
  readonly decisions: Decisions;
  /** Missing if no rule is taken. */
  readonly change?: OfferChange | undefined;
}

export type OfferChange =
  /** Adopting would write this. */
  | {
      readonly kind: "ready";
      /** The verdict on the taken rules together, and on each. */
      readonly sentence: string;
      readonly rules: readonly Pick<Rule, "id" | "label">[];
      /** Whether it includes a claim that no test has shown. */
      readonly unproven: boolean;
      /** Whether it's a part of the tested text that wasn't tested by itself. */
      readonly isPart: boolean;
      /** Whether the live file has changed since, so that the rules are merged into it. */
      readonly merged: boolean;
      /** New powers for an agent; those above a note must be acknowledged. */
      readonly powers: readonly NewPower[];
      /** Why it can't be adopted as it is, one sentence each. */
      readonly unsafe: readonly string[];
      readonly files: readonly OfferedFile[];
      /** SHA-256 of the main file's proposed bytes; null if that file stays. */
      readonly shown: string | null;
    }
  /** Adopting has written this. */
  | { readonly kind: "written"; readonly files: readonly OfferedFile[] }
  /** The live file already contains all of it. */
  | { readonly kind: "none" }
  /** It can't be written into the current live file. */
  | { readonly kind: "refused"; readonly message: string; readonly hint?: string | undefined };

export interface OfferedFile {
  /** On this machine. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** SHA-256 of the bytes; null if there's no file. */
  readonly hashes: { readonly before: string | null; readonly after: string | null };
}

export interface NewPower {
  readonly id: string;
  /** `note`: it needs no acknowledgement. */
  readonly rank: "ask" | "note";
  /** Its effect, as part of a sentence: "runs a command". */
  readonly does: string;
  readonly item: string;
  readonly path: string;
  readonly line: number;
}

/** One finished night. */
export interface NightOverview {
  readonly v: typeof reportVersion;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Its result. */
  readonly sentence: string;
  readonly conversations: number;
  readonly tasks: number;
  /** The number of corrections among the tasks. */
  readonly corrections: number;
  /** Ids. */
  readonly proposals: readonly string[];
  readonly cost: Cost;
}

/** Nights. */
export interface NightSource {
  /** The latest first. */
  nights(): Promise<readonly NightOverview[]>;
  /** The report of a night, as Markdown; empty if it left none. */
  nightReport(id: string): Promise<string>;
}

/** Proposals of trainings, prunings and nights. */
export interface OfferSource {
  proposals(): Promise<Proposals>;
  proposal(id: string): Promise<OfferReport>;
  /** Keeps a person's decisions on the rules; no live file changes. */
  decide(id: string, decisions: Decisions): Promise<OfferReport>;
  /** Refused if the bytes to write aren't those shown to the person. */
  adopt(id: string, options: Adoption): Promise<readonly string[]>;
  /** Rejects the whole proposal. */
  reject(id: string, options: { readonly reason: string }): Promise<OfferReport>;
  undo(id: string): Promise<readonly string[]>;
}

export interface Adoption {
  /** SHA-256 of the main file's bytes as shown to the person; null if that file stays. */
  readonly shown: string | null;
  /** Ids of powers. */
  readonly acknowledge: readonly string[];
  readonly merge: boolean;
  readonly unproven: boolean;
}

/** The web app's data source: a server, or the file that contains the app. */
export interface ReportSource {
  /** `standalone`: the page contains the data; nothing is live and nothing can be changed. */
  readonly kind: "server" | "standalone";
  runs(): Promise<readonly RunOverview[]>;
  run(id: string): Promise<RunReport>;
  step(id: string, step: number): Promise<StepReport>;
  /** Undefined if the standalone file leaves the transcript out. */
  rollout(id: string, ref: string): Promise<RolloutReport | undefined>;
  /** Missing in a report file, which can't change anything. */
  readonly offers?: OfferSource;
  readonly sleep?: NightSource;
}

/**
 * The JSON in a standalone file, in `<script type="application/json" id="whetstone-data">`. `steps` and `rollouts` are most
 * of it, so they are separate, in `whetstone-steps` and `whetstone-rollouts`, and only read when needed.
 */
export interface StandaloneData {
  readonly v: typeof reportVersion;
  readonly report: RunReport;
  readonly steps: readonly StepReport[];
  /** Rollouts of the tasks whose result changed, and as many others as fit. */
  readonly rollouts: readonly RolloutReport[];
  /** A sentence about what was left out. */
  readonly note: string;
}
