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
 * What people look at: JSON, the same for terminal, `whetstone report`, the server and the standalone file.
 * `v` grows with every change that an older reader would misunderstand.
 */
export const reportVersion = 2;

export type { Estimate };

/** One line of the list of runs. */
export interface RunOverview {
  readonly v: typeof reportVersion;
  readonly id: string;
  readonly command: RunCommand;
  readonly status: "running" | "done" | "stopped" | "removed";
  /** The error's code when stopped. */
  readonly code?: string;
  /** The sealed verdict of a training, the verdict of a comparison. */
  readonly verdict?: VerdictWord;
  /** The verdict, or what stopped it, in one sentence. */
  readonly sentence: string;
  /** The next thing to do; missing while the run goes on. */
  readonly next?: string;
  /** In points of the score, 0 to 1; only from a sealed test or a comparison. */
  readonly gain?: Estimate;
  /** The hash of the original. */
  readonly skill: string;
  /** What people call it, where it says so. */
  readonly skillName?: string;
  /** Where it lives, from the project's folder; only in lists, on the machine of the run. */
  readonly skillPath?: string;
  readonly models: Readonly<Record<string, string>>;
  /** Of models that are not at their vendor's own, by `provider/model`. */
  readonly hosts?: ModelHosts;
  readonly tasks: Readonly<Record<SplitName, number>>;
  /** Asserts of the suite that the tasks go without: `latency (12 tasks)`. */
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

/** Everything about a run but transcripts and the detail of single steps. */
export interface RunReport {
  readonly v: typeof reportVersion;
  /** The number of the run's last event in it. */
  readonly seq: number;
  readonly overview: RunOverview;
  readonly settings: Json;
  /** The original on val. */
  readonly baseline?: Estimate;
  readonly steps: readonly StepPoint[];
  /** Why the search ended, and what the skill was then; missing before, and in older runs. */
  readonly end?: { readonly sentence: string; readonly action: StepAction; readonly score: number | null };
  readonly sealed?: SealedReport;
  readonly baselines?: { readonly noSkill: Estimate | null; readonly oneShot: Estimate | null };
  readonly costs: readonly { readonly role: Role; readonly stage: Stage; readonly cost: Cost }[];
  readonly timeline: readonly StageSpan[];
  /** While it goes on. */
  readonly live?: LiveReport;
  /** Failed calls by class, with the last message of each. */
  readonly failures: readonly { readonly class: string; readonly count: number; readonly message: string }[];
  /** Replies that could not be used by role and class, the most frequent first; missing in older reports. */
  readonly replies?: readonly ReplyCount[];
  /** The original and every candidate, in the order of their steps. */
  readonly versions: readonly SkillVersion[];
  readonly rules: readonly RuleReport[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly {
    readonly epoch: number;
    readonly action: StepAction;
    readonly reason: string;
  }[];
  readonly tasks: readonly TaskReport[];
  /** The scores of all rollouts, one entry per set of results; `rolloutsOf` makes rows of them. */
  readonly evaluations: readonly EvaluationReport[];
  /** What the command wrote down at its end, in its own shape. */
  readonly summary?: Json;
  /** What the summary's figures are computed from; `whetstone verify` computes them again. */
  readonly evidence?: Evidence;
  /** Present when the run has something to adopt. */
  readonly proposal?: ProposalReport;
}

export interface StepPoint
  extends Pick<EndedStep, "step" | "epoch" | "action" | "reason" | "budget" | "refused" | "refusals"> {
  /** Edits applied, next to those refused. */
  readonly applied: number;
  readonly candidate?: Estimate;
  /** After the step. */
  readonly incumbent?: number;
  readonly best?: number;
}

export interface SealedReport {
  /** Tasks that a person left out: they counted as lost. */
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
  /** What a rollout takes with each of them; missing in older runs. */
  readonly perRollout?: ArmCosts;
  /** The best text that is given to every task; missing in older runs. */
  readonly constant?: NonNullable<BlindFacts["constant"]>["best"];
}

/** How a run goes on at the moment of its report. */
export interface LiveReport {
  /** "step 3 of 8, epoch 1 of 2" */
  readonly place: string;
  /** Stages that go on, in their order. */
  readonly stages: readonly StageProgress[];
  /** Models that keep it waiting, and why. */
  readonly troubles: readonly string[];
  /** Results, of late. */
  readonly perMinute?: number;
  /** Milliseconds until the end, as far as can be told. */
  readonly leftMs?: number;
  /** Since this execution began, and since its last event. */
  readonly elapsedMs: number;
  readonly silentMs: number;
  readonly caps: readonly CapUse[];
}

export interface StageProgress {
  readonly stage: Stage;
  /** What it is called. */
  readonly word: string;
  readonly done: number;
  /** Zero where it is not known beforehand. */
  readonly total: number;
  /** The total is only a bound. */
  readonly isBounded: boolean;
  /** "12/40" */
  readonly text: string;
}

/** A cap, and what is used of it. */
export interface CapUse {
  readonly name: "Money" | "Tokens" | "Calls" | "Minutes";
  /** 1 is all of it. */
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
  /** What the gate said; `original` for the first, `guidance` for what an epoch's end added, `end` for what the search settled on. */
  readonly action: StepAction | "original" | "guidance" | "end";
  readonly isBest: boolean;
  /** Text files by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** One rule of the final skill that training wrote, or one that it took away; where rules were measured, the summary has them. */
export interface RuleReport {
  readonly file: string;
  readonly text: string;
  readonly tokens: number;
  readonly op: Edit["op"];
  readonly step: number;
  readonly source?: Edit["source"];
  /** Train tasks that asked for it. */
  readonly evidence: readonly string[];
  /** The val score before and after the step that brought it; missing with `gate: rules`. */
  readonly before?: number;
  readonly after?: number;
}

export interface TaskReport {
  readonly id: string;
  readonly split: SplitName;
  /** The first 300 characters of what was asked; empty while no result of it is exported. */
  readonly input: string;
  /** Results so far, over all versions. */
  readonly rollouts: number;
  /** Its mean pass rate under the original and under the best skill, where both were measured alike (test, or val). */
  readonly before?: number;
  readonly after?: number;
  readonly flags: readonly TaskFlag[];
}

/** `flaky`: trials of one version differ; `always-…`: under every version; the others: best against original. */
export type TaskFlag = "flaky" | "always-passes" | "always-fails" | "improved" | "regressed";

/** One set of results, column by column: row n of each list is one rollout, in the order they were asked. */
export interface EvaluationReport {
  /** `steps/step_0002/selection_eval`; a rollout is `<name>#<row>`. */
  readonly name: string;
  readonly stage: Stage;
  /** 0 outside of steps. */
  readonly step: number;
  /** Which skill, as in `RolloutRef`. */
  readonly version: number;
  /** Places in `tasks`. */
  readonly task: readonly number[];
  readonly trial: readonly number[];
  /** Null while the result is missing. */
  readonly hard: readonly (number | null)[];
  /** Left out where it is the same as `hard`. */
  readonly soft?: readonly (number | null)[];
  /** Where each rollout had a text of its own: the rules of each text, and which text a row had. */
  readonly texts?: readonly (readonly number[])[];
  readonly text?: readonly number[];
}

export interface RolloutRef {
  /** Names the rollout within the run: `steps/step_0002/selection_eval#12`. */
  readonly ref: string;
  /** Which skill: the version's number, or -1 for no skill, -2 for the one-shot rewrite, -3 for one that was not kept. */
  readonly version: number;
  /** Instead of a version: the rules that were in its text. */
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
  /** Set when the target's reply was no answer. */
  readonly reply?: UnusableReply;
}

/** One step in full. */
export interface StepReport extends StepPoint {
  /** What each analyst saw and proposed. */
  readonly analysts: readonly RawPatch[];
  /** All edits after merging, with their merge level. */
  readonly merged: readonly Edit[];
  /** What the ranking kept, best first, with its reasons. */
  readonly selected: readonly Edit[];
  readonly edits: readonly EditReport[];
  readonly gate?: GateReport;
}

export interface GateReport {
  /** The gate's own figures as it wrote them down. */
  readonly evidence: Json;
  readonly p?: number;
  /** Tasks asked before the verdict was certain, of all of val. */
  readonly asked: number;
  readonly of: number;
  /** Empty with `gate: rules`, where no candidate meets an incumbent. */
  readonly pairs: readonly GatePair[];
  /** With `gate: rules`: what is known of each rule after the step. */
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
  /** What adopting would do now. */
  readonly state: "ready" | "adopted" | "changed" | "unsafe";
  readonly files: readonly {
    readonly path: string;
    readonly op: "add" | "replace" | "delete";
    /** The file that would be written, on this machine; missing in a file that travels. */
    readonly live?: string;
    readonly before: string;
    readonly after: string;
  }[];
  /** What an agent could do after it that it could not before; what is more than a note must be acknowledged. */
  readonly powers: readonly NewPower[];
}

/** What could be adopted. */
export interface Proposals {
  /** Those of nights, the newest first, in whatever state. */
  readonly nights: readonly NightProposal[];
  /** Runs whose proposal can be adopted as things stand, the latest first. */
  readonly runs: readonly RunOverview[];
  /** Of each wish that was adopted: whether it has to be said less often since, one sentence each. */
  readonly helped: readonly string[];
}

/** What a night proposes for one document, in short. */
export interface NightProposal extends Omit<Review, "v" | "rules" | "rejected"> {
  readonly v: typeof reportVersion;
  /** The file that it is about, on this machine. */
  readonly live: string;
  /** Those that wait; all of them where none does. */
  readonly rules: readonly Pick<Rule, "id" | "text" | "label">[];
  /** How many are neither in a file nor turned down. */
  readonly waiting: number;
}

/** A proposal of a training, a pruning or a night, with what adopting would do now. */
export interface OfferReport {
  readonly v: typeof reportVersion;
  readonly review: Review;
  /** The main file, on this machine. */
  readonly live: string;
  /** Also what is taken without a word; a rule that is missing isn't taken. */
  readonly decisions: Decisions;
  /** Missing where no rule is taken. */
  readonly change?: OfferChange | undefined;
}

export type OfferChange =
  /** What adopting would write. */
  | {
      readonly kind: "ready";
      /** What is known of the taken rules together, and of each. */
      readonly sentence: string;
      readonly rules: readonly Pick<Rule, "id" | "label">[];
      /** Whether something is claimed that no test has shown. */
      readonly unproven: boolean;
      /** A part of what was tested, which was not tested by itself. */
      readonly isPart: boolean;
      /** The live file changed since: the rules go into it as it is now. */
      readonly merged: boolean;
      /** What an agent could do after it that it could not before; what is more than a note must be acknowledged. */
      readonly powers: readonly NewPower[];
      /** Why it cannot be adopted as it is, one sentence each. */
      readonly unsafe: readonly string[];
      readonly files: readonly OfferedFile[];
      /** SHA-256 of the main file's proposed bytes; null where that file stays. */
      readonly shown: string | null;
    }
  /** What adopting has written. */
  | { readonly kind: "written"; readonly files: readonly OfferedFile[] }
  /** The live file says all of it already. */
  | { readonly kind: "none" }
  /** It cannot be written into the live file as it is now. */
  | { readonly kind: "refused"; readonly message: string; readonly hint?: string | undefined };

export interface OfferedFile {
  /** On this machine. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** SHA-256 of the bytes; null where there is no file. */
  readonly hashes: { readonly before: string | null; readonly after: string | null };
}

export interface NewPower {
  readonly id: string;
  /** `note`: nobody has to acknowledge it. */
  readonly rank: "ask" | "note";
  /** What it does, as a part of a sentence: "runs a command". */
  readonly does: string;
  readonly item: string;
  readonly path: string;
  readonly line: number;
}

/** One night that ended. */
export interface NightOverview {
  readonly v: typeof reportVersion;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** What it came to. */
  readonly sentence: string;
  readonly conversations: number;
  readonly tasks: number;
  /** Among the tasks. */
  readonly corrections: number;
  /** Ids. */
  readonly proposals: readonly string[];
  readonly cost: Cost;
}

/** Nights. */
export interface NightSource {
  /** The latest first. */
  nights(): Promise<readonly NightOverview[]>;
  /** The report of a night, as Markdown; empty where it left none. */
  nightReport(id: string): Promise<string>;
}

/** Proposals of trainings, prunings and nights. */
export interface OfferSource {
  proposals(): Promise<Proposals>;
  proposal(id: string): Promise<OfferReport>;
  /** Keeps what a person decides of the rules; nothing live changes. */
  decide(id: string, decisions: Decisions): Promise<OfferReport>;
  /** Refused when the bytes to write are not those that the person was shown. */
  adopt(id: string, options: Adoption): Promise<readonly string[]>;
  /** All of it. */
  reject(id: string, options: { readonly reason: string }): Promise<OfferReport>;
  undo(id: string): Promise<readonly string[]>;
}

export interface Adoption {
  /** SHA-256 of the main file's bytes that the person was shown; null where that file stays. */
  readonly shown: string | null;
  /** Ids of powers. */
  readonly acknowledge: readonly string[];
  readonly merge: boolean;
  readonly unproven: boolean;
}

/** What the web app asks for, from a server or from the file it stands in. */
export interface ReportSource {
  /** `standalone`: the data stands in the page, nothing is live and nothing can be changed. */
  readonly kind: "server" | "standalone";
  runs(): Promise<readonly RunOverview[]>;
  run(id: string): Promise<RunReport>;
  step(id: string, step: number): Promise<StepReport>;
  /** Undefined where the standalone file leaves the transcript out. */
  rollout(id: string, ref: string): Promise<RolloutReport | undefined>;
  /** A report file changes nothing, and has neither. */
  readonly offers?: OfferSource;
  readonly sleep?: NightSource;
}

/**
 * The JSON in a standalone file, at `<script type="application/json" id="whetstone-data">`; `steps` and `rollouts`, most
 * of it, stand by themselves at `whetstone-steps` and `whetstone-rollouts`, so that nobody waits for them before they ask.
 */
export interface StandaloneData {
  readonly v: typeof reportVersion;
  readonly report: RunReport;
  readonly steps: readonly StepReport[];
  /** Of the tasks whose result changed, and as many others as fit. */
  readonly rollouts: readonly RolloutReport[];
  /** What was left out, as a sentence. */
  readonly note: string;
}
