import { type AskedFacts, askedSentences } from "./asked-words.ts";
import type { ClaimEvidence } from "./evidence.ts";
import { type BlindFacts, constantSentence, hostSentences, joinedSentence } from "./blind-words.ts";
import { type JudgeModels, relatedJudgeSentence } from "./judge/judge-family.ts";
import type { ArmCost, ArmCosts } from "./measure/arm-costs.ts";
import { type FallFacts, groupSentences } from "./group-words.ts";
import { growth, percent, points } from "./measure/percent.ts";
import type { MeasuredRule, RolloutPrice, WorthEstimate } from "./rules/rule-table.ts";
import type { OpenRule, StepAction } from "./step-record.ts";
import { bellInterval, levelText, z95 } from "./shown-level.ts";

/**
 * The outcome of a claim. `better` and `worse` are about tasks like these and count as proven; `higher` and `lower` are
 * about these tasks alone and never do. `no-difference` rules out an effect worth finding on tasks like these, `even`
 * on these alone; `not-proven`: neither. `withheld`: the later skill's answers list all options. `undecided`: missing
 * results could still change the answer.
 */
export type ClaimWord =
  | "better"
  | "worse"
  | "higher"
  | "lower"
  | "no-difference"
  | "even"
  | "not-proven"
  | "withheld"
  | "undecided";

/**
 * Every verdict. Pruned skills have `not-worse` by more than a margin, and `no-loss` on these tasks alone. No claim
 * is made for `not-tested`, for `unchanged` (the original stays), and for `identical` skills.
 */
export type VerdictWord = ClaimWord | "not-worse" | "no-loss" | "not-tested" | "unchanged" | "identical";

export interface VerdictLook {
  /** The word in chips, lists and first lines. */
  readonly word: string;
  readonly tone: "good" | "bad" | "open" | "even";
  /** A shape shown next to the color. */
  readonly sign: string;
  /** The preposition that links the word to the other skill's name. */
  readonly relation: "than" | "to" | "against";
}

const look = (
  word: string,
  tone: VerdictLook["tone"],
  sign: string,
  relation: VerdictLook["relation"] = "against",
): VerdictLook => ({ word, tone, sign, relation });

export const verdictWords: Readonly<Record<VerdictWord, VerdictLook>> = {
  better: look("better", "good", "▲", "than"),
  worse: look("worse", "bad", "▼", "than"),
  higher: look("higher on these tasks", "open", "△", "than"),
  lower: look("lower on these tasks", "open", "▽", "than"),
  "no-difference": look("no difference", "even", "=", "to"),
  even: look("no difference on these tasks", "open", "≈"),
  "not-proven": look("not proven", "open", "?"),
  withheld: look("withheld", "open", "⊘"),
  undecided: look("undecided", "open", "…"),
  "not-worse": look("not worse", "good", "≥", "than"),
  "no-loss": look("no loss on these tasks", "open", "≥"),
  "not-tested": look("not tested", "open", "–"),
  unchanged: look("kept the original", "even", "=", "to"),
  identical: look("identical", "even", "=", "to"),
};

/** Whether a verdict can be adopted without further confirmation. */
export const isProof = (verdict: VerdictWord): boolean => verdict === "better" || verdict === "not-worse";

/** The part of a claim's outcome that its sentence needs. */
export interface ClaimFacts extends BlindFacts, FallFacts {
  readonly verdict: ClaimWord;
  /** `sign-flip` swaps arms across tasks; `within-task` swaps trials inside each task. */
  readonly test: "sign-flip" | "within-task";
  /** For "better" or "higher". With results missing, the largest p that could still come out. */
  readonly p: number;
  /** The same for "worse" or "lower". */
  readonly pWorse: number;
  /** The threshold: p must not exceed it. The one for "worse" doesn't drop as more questions are asked. @default alpha */
  readonly alpha: number;
  readonly alphaWorse?: number;
  /** Mean scores of the finished tasks, weighted. */
  readonly before: number;
  readonly after: number;
  /** `after` minus `before`. */
  readonly difference: number;
  /** `level`: how often such intervals contain the true value. */
  readonly interval: { readonly low: number; readonly high: number; readonly level: number };
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  readonly tasks: number;
  /** Independent samples: tasks of one group and near-duplicates count once. */
  readonly units: number;
  /** The target gave the same answers every time. */
  readonly steady: boolean;
  /** Whether tasks have different weights. */
  readonly weighted: boolean;
  /** Trials with a result, in both arms. */
  readonly rollouts: number;
  /** Trials whose results may still arrive. */
  readonly missing: number;
  /** Tasks that a person left out. They count as lost, whatever is claimed. @default 0 */
  readonly leftOut?: number;
}

/** Facts around a claim, reported after it. */
export interface ClaimNotes {
  /** Its position among the questions asked of these tasks. */
  readonly asked?: AskedFacts;
  readonly drift?: DriftFacts;
  /** Ids of tasks where every trial with the later skill scored below every trial with the earlier one. */
  readonly lost?: readonly string[];
  /** Ids of tasks that helped make one of the skills. */
  readonly seen?: readonly string[];
  /** The model names that the provider reported. */
  readonly models?: readonly string[];
  /** The number of results from each host. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** Unusable replies of the target, by arm and kind. */
  readonly unusable?: ClaimEvidence["unusable"];
  /** Ids of tasks that a person left out. */
  readonly leftOut?: readonly string[];
  /** Ids of tasks with results that may still arrive. */
  readonly missing?: readonly string[];
  /** The cost of a rollout with each skill. */
  readonly perRollout?: ArmCosts | undefined;
  /** Set if the judge and the optimizer are related models. */
  readonly relatedJudge?: JudgeModels | undefined;
}

export interface DriftFacts {
  readonly size: number;
  readonly p: number;
}

/** Reports the outcome of a claim: what was tested and no more. */
export function claimSentence(claim: ClaimFacts, notes: ClaimNotes = {}): string {
  return [...headSentences(claim, notes), ...reasonSentences(claim), ...noteSentences(claim, notes)].join(
    " ",
  );
}

/** One of the numbers behind a verdict, with its meaning. */
export interface VerdictFigure {
  readonly value: string;
  readonly note: string;
}

/**
 * A verdict as a screen shows it: gain, chance and cost, then the rest of its sentence. Only the sentence if no gain is
 * claimed.
 */
export function verdictParts({
  sentence,
  claim,
  perRollout,
}: {
  readonly sentence: string;
  readonly claim?: ClaimFacts | undefined;
  readonly perRollout?: ArmCosts | undefined;
}): { readonly figures: readonly VerdictFigure[]; readonly details: string } {
  if (claim === undefined || claim.verdict === "undecided" || claim.verdict === "withheld")
    return { figures: [], details: sentence };
  const { p, bar } = decisive(claim);
  const ratio = perRollout?.tokens.ratio;
  const said = headSentences(claim, { perRollout }).join(" ");
  const figures = [
    { value: points(claim.difference), note: `${rangeOf(claim)}; ${currency(claim)}` },
    ...(isTested(claim) ? [{ value: `p = ${p}`, note: `threshold ${bar}; ${luckText(claim)}` }] : []),
    ...(ratio === undefined
      ? []
      : [{ value: `${growth(ratio.value)} tokens`, note: `per run of the skill, ${growthRange(ratio)}` }]),
  ];
  return { figures, details: sentence.replace(said, "").replaceAll(/\s+/g, " ").trim() };
}

/** The same figures as sentences. */
function headSentences(claim: ClaimFacts, notes: ClaimNotes): readonly string[] {
  return [mainSentence(claim, notes), ...costSentences(notes.perRollout)];
}

function mainSentence(claim: ClaimFacts, { missing: ids = [] }: ClaimNotes): string {
  const { verdict, missing, test, tasks } = claim;
  if (verdict === "undecided") {
    const named = ids.length === 0 ? "" : ` (${ids.length === 1 ? "task" : "tasks"} ${listIds(ids)})`;
    return `Undecided: ${missing === 1 ? "1 result is" : `${missing} results are`} missing${named} and could change the answer.`;
  }
  const isNarrow = test === "within-task" || ["higher", "lower", "even"].includes(verdict);
  const on = isNarrow ? ` on these ${tasks} tasks` : "";
  const found = `${claimHeads[verdict]}${on}: ${points(claim.difference)} (${rangeOf(claim)}; ${currency(claim)}).`;
  const { p, bar } = decisive(claim);
  return isTested(claim) ? `${found} One-sided p = ${p} (threshold ${bar}): ${luckText(claim)}.` : found;
}

const claimHeads: Readonly<Record<Exclude<ClaimWord, "undecided">, string>> = {
  better: "Better",
  worse: "Worse",
  higher: "Higher",
  lower: "Lower",
  "no-difference": "No difference worth having",
  even: "No difference worth having",
  withheld: "Withheld",
  "not-proven": "Not proven",
};

/** Whether p decided. Other verdicts depend on an interval or on blind answers. */
const isTested = ({ verdict, reason }: ClaimFacts): boolean =>
  ["better", "worse", "higher", "lower"].includes(verdict) ||
  (verdict === "not-proven" && reason !== "constant-answer");

/** The p and threshold for the direction of the difference. */
const decisive = ({ difference, p, pWorse, alpha, alphaWorse = alpha }: ClaimFacts) =>
  difference < 0
    ? { p: pWorse.toPrecision(2), bar: alphaWorse.toPrecision(2) }
    : { p: p.toPrecision(2), bar: alpha.toPrecision(2) };

const rangeOf = ({ interval: { low, high } }: ClaimFacts): string =>
  `${levelText} interval ${signed(low)} to ${signed(high)}`;

/** Consequences of the figures, and their limits. */
function reasonSentences(claim: ClaimFacts): readonly string[] {
  const { verdict, reason } = claim;
  if (verdict === "withheld") return [joinedSentence(claim)];
  if (verdict === "not-proven")
    return [
      reason === "constant-answer" ? "One constant answer does at least as well." : "More tasks could tell.",
    ];
  return isOfThese(claim) ? ["It says nothing about other tasks."] : [];
}

const isOfThese = ({ verdict }: Pick<ClaimFacts, "verdict">): boolean =>
  ["higher", "lower", "even"].includes(verdict);

/** The unit that the test counted: tasks that moved, or trials that passed. */
function currency(claim: ClaimFacts): string {
  const { test, wins, losses, ties, tasks, units, before, after, rollouts, weighted } = claim;
  const without = (claim.leftOut ?? 0) === 0 ? "" : `, ${claim.leftOut} left out`;
  const groups = `${without}${units === tasks ? "" : ` in ${units} groups`}`;
  if (test === "sign-flip") return `${wins} of ${tasks} tasks up, ${losses} down, ${ties} equal${groups}`;
  const trials = rollouts / 2;
  if (weighted) return `${percent(before)} → ${percent(after)} by weight${groups}`;
  return `${spellCount(before * trials)} → ${spellCount(after * trials)} of ${trials} trials${groups}`;
}

const spellCount = (count: number): string =>
  Math.abs(count - Math.round(count)) < 1e-6 ? String(Math.round(count)) : count.toFixed(1);

/** Two-sided: if both texts are alike, either direction is equally likely. */
function luckText(claim: ClaimFacts): string {
  const either = "if both texts behaved alike, a difference this large in either direction would come";
  const p = 2 * (claim.difference < 0 ? claim.pWorse : claim.p);
  return p > 0.5 ? `${either} more often than not` : `${either} one time in ${oneIn(p)}`;
}

/** `33`, `2,100`: 1/p, to two digits. */
export function oneIn(p: number): string {
  const odds = 1 / Math.max(p, 1e-300);
  if (odds >= 1e6) return "more than a million";
  return Number(odds.toPrecision(2)).toLocaleString("en-US");
}

function noteSentences(
  claim: ClaimFacts,
  {
    asked,
    drift,
    lost = [],
    seen = [],
    models = [],
    hosts,
    unusable,
    leftOut = [],
    perRollout,
    relatedJudge,
  }: ClaimNotes,
): readonly string[] {
  const constant = constantSentence(claim);
  const related = relatedJudge && relatedJudgeSentence(relatedJudge);
  return [
    ...(claim.verdict === "undecided" ? [] : groupSentences(claim)),
    ...(constant === undefined ? [] : [constant]),
    ...(leftOut.length > 0 ? [leftOutSentence(leftOut)] : []),
    ...(unusable === undefined ? [] : [unusableSentence(unusable)]),
    ...(claim.steady
      ? [
          `The target gave the same answers again, so no repeats were run: ${claim.wins + claim.losses} of ${claim.tasks} tasks changed.`,
        ]
      : []),
    ...(lost.length > 0 ? [lostSentence(claim, lost)] : []),
    ...objectiveSentences(perRollout),
    ...(related === undefined ? [] : [related]),
    ...(drift === undefined ? [] : [driftSentence(drift)]),
    ...(models.length > 1
      ? [`The model changed during the test: the provider answered as ${listIds(models)}.`]
      : []),
    ...(asked === undefined ? [] : askedSentences(asked)),
    ...(seen.length > 0
      ? [
          `${seen.length} of these tasks helped to make one of the skills${isOfThese(claim) ? "" : ", so it says nothing of others"}.`,
        ]
      : []),
    ...hostSentences(hosts, claim.rollouts),
  ];
}

/** Reports a change of cost if it's clear and not small, or if an objective asks for it. */
export function costSentences(costs: ArmCosts | undefined): readonly string[] {
  if (costs === undefined) return [];
  const { objective, tokens, nanoUsd, turns } = costs;
  const [name, held] = objective?.of === "nanoUsd" ? ["money", nanoUsd] : ["tokens", tokens];
  if (objective === undefined && !isClearChange(tokens) && !isClearChange(turns)) return [];
  const moved = [
    `${name} ${rangeText(held)}`,
    ...(isClearChange(turns) ? [`turns ${rangeText(turns)}`] : []),
  ];
  return [`Each run of the skill takes ${moved.join(", ")}.`];
}

/** The growth with its interval in brackets. */
function rangeText(cost: ArmCost | undefined): string {
  if (cost?.ratio === undefined) return "not counted";
  return `${growth(cost.ratio.value)} (${growthRange(cost.ratio)})`;
}

/** `+95% to +110%` */
export const growthRange = ({ low, high }: NonNullable<ArmCost["ratio"]>): string =>
  `${growth(low)} to ${high === null ? "any" : growth(high)}`;

/** At least 10%, and not by chance. */
const isClearChange = ({ ratio }: ArmCost): boolean =>
  ratio !== undefined &&
  Math.abs(ratio.value - 1) >= 0.1 &&
  (ratio.low > 1 || (ratio.high !== null && ratio.high < 1));

/** Whether the cost meets its objective; empty without one. */
export function objectiveSentences({ objective }: Pick<ArmCosts, "objective"> = {}): readonly string[] {
  if (objective === undefined) return [];
  const limit = `the objective of ${growth(1 + objective.maxCost)}`;
  const p = `(p = ${objective.p.toPrecision(2)})`;
  const sentences = {
    above: `Its cost exceeds ${limit}, so it's not proven.`,
    within: `Its cost is within ${limit} ${p}.`,
    open: `Its cost isn't shown to be within ${limit} ${p}, so it's not proven.`,
  };
  return [sentences[objective.found]];
}

/** Whether the cost of a rollout still allows a proof. */
export const keepsObjective = (costs: Pick<ArmCosts, "objective"> | undefined): boolean =>
  costs?.objective === undefined || costs.objective.found === "within";

/** One trial may be luck; several agree by chance less often. */
const lostSentence = ({ rollouts, tasks }: ClaimFacts, lost: readonly string[]): string =>
  rollouts > 2 * tasks
    ? `Clearly lower in every trial: ${listIds(lost)}.`
    : `Lower in their single trial: ${listIds(lost)}.`;

const signed = (effect: number): string => points(effect).replace(" points", "");

/** Separate from the pairs, which ran side by side. */
export const driftSentence = ({ size, p }: DriftFacts): string =>
  `Drift: the target itself moved by ${points(size)} during the test (by chance one time in ${oneIn(p)}). Both arms ran side by side, so the verdict doesn't depend on it.`;

/** The first five ids. */
export const listIds = (ids: readonly string[]): string =>
  ids.length <= 5 ? ids.join(", ") : `${ids.slice(0, 5).join(", ")} and ${ids.length - 5} more`;

/** How a claim counts tasks that were left out. */
const leftOutSentence = (ids: readonly string[]): string =>
  `Left out by name: ${listIds(ids)}. p and the interval count ${ids.length === 1 ? "it" : "each of them"} as a loss.`;

/** Unusable replies keep their score, because the skill may have caused them. */
function unusableSentence({ before, after }: NonNullable<ClaimNotes["unusable"]>): string {
  const named = (counts: typeof before) =>
    Object.entries(counts).map(([kind, count]) => `${count} ${kind === "cut" ? "cut off" : kind}`);
  const arm = (counts: typeof before) => named(counts).join(", ") || "none";
  return `Unusable replies count as they were scored: ${arm(before)} before, ${arm(after)} after.`;
}

/** Said at the start of a run that leaves tasks out. */
export const goesWithoutSentence = (ids: readonly string[]): string =>
  `left out by name: ${listIds(ids)} (a claim counts ${ids.length === 1 ? "it" : "each of them"} as a loss)`;

/** The way out if tasks never get an answer. */
export const leaveOutStep = (ids: readonly string[]): string =>
  `If ${ids.length === 1 ? "this task never gets" : "these tasks never get"} an answer, add ${leaveOutFlag(ids)}: the run goes on without ${ids.length === 1 ? "it, and a claim counts it" : "them, and a claim counts each of them"} as a loss.`;

const leaveOutFlag = (ids: readonly string[]): string => {
  const list = ids.join(",");
  return `--leave-out ${/^[\w.:,/-]+$/.test(list) ? list : JSON.stringify(list)}`;
};

export const unchangedSentence = "The original skill stays, so there's nothing to claim.";
export const identicalSentence = "Both skills are identical, byte for byte, so nothing was run.";

/** The parts of a comparison that its next step depends on. */
export interface ComparedFacts {
  readonly verdict: ClaimWord | "identical";
  /** Ids of tasks with results that may still arrive. */
  readonly missing?: readonly string[] | undefined;
  readonly claim?: Pick<ClaimFacts, "steady" | "reason">;
  readonly perRollout?: Pick<ArmCosts, "objective">;
}

/** What to do after comparing with an earlier skill, or with none? */
export function nextStep(
  { verdict, claim, missing, perRollout }: ComparedFacts,
  against: "a skill" | "no skill" = "a skill",
): string {
  if (verdict === "undecided") return missingStep(missing);
  if (verdict === "better" && !keepsObjective(perRollout)) return dearerStep;
  if (claim?.reason === "constant-answer") return constantStep;
  if (claim?.steady === true && verdict === "not-proven") return moreTasks;
  return (against === "no skill" ? stepsWithoutSkill[verdict] : undefined) ?? nextSteps[verdict];
}

/** For results that may still arrive, or never do. */
export const missingStep = (tasks: readonly string[] = []): string =>
  `run the same command again: it requests only the missing results${tasks.length === 0 ? "" : `. ${leaveOutStep(tasks)}`}`;

/** For a later skill that lists all options. */
export const withheldStep =
  "make the checks accept only one answer (`whetstone doctor evals` lists them), then run it again";

/** For a fixed text that does as well. */
const constantStep = "add tasks or checks that a fixed answer fails";

const nextSteps: Readonly<Record<Exclude<ComparedFacts["verdict"], "undecided">, string>> = {
  better: "use the later skill",
  worse: "keep the earlier skill; the results show which tasks got worse",
  "no-difference": "use the shorter one",
  even: "more tasks could show whether it holds beyond these",
  higher: "more tasks could show whether it holds beyond these",
  lower: "the results show which tasks got worse; more tasks could show whether it holds beyond these",
  "not-proven": "add tasks: that also makes up for earlier comparisons on these",
  withheld: withheldStep,
  identical: "nothing to do",
};

/** For comparisons without an earlier skill to return to. */
const stepsWithoutSkill: Partial<typeof nextSteps> = {
  better: "keep the skill; `whetstone train` can try to improve it",
  worse: "remove it or train it; the results show which tasks got worse",
  "no-difference": "remove it or train it: it adds tokens to every prompt",
};

const dearerStep = "make it cheaper, or allow a rollout to cost more with --max-cost";

/** A target that only repeats itself adds nothing by repeating. */
const moreTasks = "add tasks: the target repeats its answers, so more trials would show nothing new";

/** The outcome of a rule. */
export const ruleWords: Readonly<
  Record<MeasuredRule["state"] | OpenRule["state"], Omit<VerdictLook, "relation">>
> = {
  kept: { word: "kept", tone: "good", sign: "✓" },
  "given-up": { word: "dropped", tone: "bad", sign: "✕" },
  dropped: { word: "not worth the tokens", tone: "even", sign: "–" },
  repeated: { word: "duplicate", tone: "even", sign: "=" },
  in: { word: "in the text", tone: "good", sign: "✓" },
  open: { word: "still being tested", tone: "open", sign: "…" },
};

export type StepLook = Omit<VerdictLook, "relation">;

/** The gate's decision on a candidate; `original`, `guidance` and `end` are texts that no step made. */
export const stepWords: Readonly<Record<StepAction | "original" | "guidance" | "end", StepLook>> = {
  original: { word: "the original", tone: "even", sign: "○" },
  guidance: { word: "guidance", tone: "even", sign: "✎" },
  end: { word: "kept at the end", tone: "good", sign: "✓" },
  accept_new_best: { word: "new best", tone: "good", sign: "★" },
  accept: { word: "accepted", tone: "good", sign: "✓" },
  reject: { word: "rejected", tone: "bad", sign: "✕" },
  return_to_original: { word: "back to the original", tone: "open", sign: "↶" },
  skip: { word: "skipped", tone: "even", sign: "–" },
  undecided: { word: "undecided", tone: "open", sign: "…" },
};

const newText: StepLook = { word: "updated", tone: "good", sign: "✓" };

/** If rules are measured one by one, no candidate is accepted or rejected: the text changes or stays. */
const ruleStepWords: Readonly<Partial<Record<keyof typeof stepWords, StepLook>>> = {
  accept_new_best: newText,
  accept: newText,
  reject: { word: "unchanged", tone: "even", sign: "=" },
};

/** The word for a step, depending on what its gate decides about. */
export const stepLook = (action: keyof typeof stepWords, isRulesGate: boolean): StepLook =>
  (isRulesGate ? ruleStepWords[action] : undefined) ?? stepWords[action];

/** `+5.6 (+3.6 to +7.6)`: points with their interval, which is more informative than a probability. */
export const worthText = (worth: ShownWorth): string => `${signedPoint(worth.points)} (${worthRange(worth)})`;

/** Points with their interval, or with the standard deviation of a normal distribution. */
type ShownWorth = Pick<WorthEstimate, "points" | "sd"> & Partial<Pick<WorthEstimate, "low" | "high">>;

/** `+3.6 to +7.6`: the interval of a rule's points. */
export function worthRange({ points: expected, sd, ...own }: ShownWorth): string {
  const { low, high } = { ...bellInterval(expected, sd), ...own };
  return `${signedPoint(low)} to ${signedPoint(high)}`;
}

/** `+5.6` for 5.6 points. */
export const signedPoint = (expected: number): string =>
  Math.abs(expected) < 0.05 ? "0.0" : signed(expected / 100);

/** `+320 ± 40`: the tokens that a rule adds to a rollout, with half their interval, and its turns if they clearly change. */
export function priceText(price: RolloutPrice | undefined): string {
  if (price === undefined) return "";
  const { tokens, tokensSd, turns, turnsSd } = price;
  const sign = (value: number, digits: number) =>
    `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
  const isTurning = Math.abs(turns) >= 0.1 && Math.abs(turns) > 2 * turnsSd;
  return `${sign(tokens, 0)} ± ${(z95 * tokensSd).toFixed(0)}${isTurning ? `, ${sign(turns, 1)} turns` : ""}`;
}

/** The evidence for a rule, shown after its words. */
export const ruleLabel = (rule: Pick<MeasuredRule, "points" | "sd" | "rollouts">): string =>
  rule.rollouts === 0
    ? "not measured"
    : `${signedPoint(rule.points)} points (${levelText} interval ${worthRange(rule)})`;

/** The number of rules that were tried but not included, with the reasons; empty if all were. */
export function unkeptSentence(rules: readonly Pick<MeasuredRule, "state">[]): string {
  const counts = Object.entries(ruleWords).flatMap(([name, { word }]) => {
    const count = rules.filter(({ state }) => state === name && state !== "kept").length;
    return count === 0 ? [] : [`${count} ${word}${name === "repeated" && count > 1 ? "s" : ""}`];
  });
  return counts.length === 0 ? "" : `Tried and not included: ${counts.join(", ")}.`;
}

export interface SubsetFacts {
  readonly taken: number;
  readonly of: number;
  /** Wanted rules that depend on ones that were left out. */
  readonly lost: readonly string[];
  /** Expected scores on val for the part and the whole, if a search measured the rules. */
  readonly expected?: { readonly part: number; readonly whole: number } | undefined;
  readonly isSealed: boolean;
}

/** The evidence for a part of a proposal's rules: the model's estimate, without a test. */
export function subsetSentence({ taken, of, lost, expected, isSealed }: SubsetFacts): string {
  return [
    expected === undefined
      ? `${taken} of ${of} rules.`
      : `${taken} of ${of} rules: the model expects ${percent(expected.part)} on val, and ${percent(expected.whole)} with all of them.`,
    ...(lost.length === 0
      ? []
      : [`${lost.length === 1 ? "Rule" : "Rules"} ${lost.join(", ")} can't be used without the others.`]),
    isSealed
      ? "The sealed test covered all of them; this part was not tested by itself."
      : "No sealed test was run.",
  ].join(" ");
}
