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
 * What a claim can come to. `better` and `worse` speak of tasks like these and may be called proven; `higher` and `lower`
 * speak of these tasks alone and never are. `no-difference`: an effect worth finding is ruled out on tasks like these; `even`: on
 * these tasks alone; `not-proven`: neither. `withheld`: the later skill's answers list all options; `undecided`: missing results could still change the answer.
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
 * Every verdict: of a claim; `not-worse` by more than a margin, of a pruned skill, and `no-loss` of these tasks alone; `not-tested` where no claim was made;
 * `unchanged` where the original stays; `identical` where two skills are the same.
 */
export type VerdictWord = ClaimWord | "not-worse" | "no-loss" | "not-tested" | "unchanged" | "identical";

export interface VerdictLook {
  /** As chips, lists and first lines show it. */
  readonly word: string;
  readonly tone: "good" | "bad" | "open" | "even";
  /** A shape beside the colour. */
  readonly sign: string;
  /** How the word goes on to the name of the other skill. */
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

/** Whether a verdict may be adopted without a further word from the person. */
export const isProof = (verdict: VerdictWord): boolean => verdict === "better" || verdict === "not-worse";

/** What a claim found, as far as its sentence needs it. */
export interface ClaimFacts extends BlindFacts, FallFacts {
  readonly verdict: ClaimWord;
  /** Over tasks, what was sampled changes arms; within tasks, their trials do. */
  readonly test: "sign-flip" | "within-task";
  /** Of "better" or "higher"; with results missing, the largest that could still come out. */
  readonly p: number;
  /** Of "worse" or "lower", likewise. */
  readonly pWorse: number;
  /** The bar: what p must not exceed. That of "worse" doesn't fall with what was asked before. @default alpha */
  readonly alpha: number;
  readonly alphaWorse?: number;
  /** Mean scores of the finished tasks, by weight. */
  readonly before: number;
  readonly after: number;
  /** `after` minus `before`. */
  readonly difference: number;
  /** `level`: the chance with which such intervals contain the truth. */
  readonly interval: { readonly low: number; readonly high: number; readonly level: number };
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  readonly tasks: number;
  /** What was sampled: tasks of one group and near-duplicates count once. */
  readonly units: number;
  /** The target gave the same answers again. */
  readonly steady: boolean;
  /** Whether tasks count differently. */
  readonly weighted: boolean;
  /** Trials with a result, both arms. */
  readonly rollouts: number;
  /** Trials without one that may still come. */
  readonly missing: number;
  /** Tasks that a person left out: they count as lost for whatever is claimed. @default 0 */
  readonly leftOut?: number;
}

/** What surrounds a claim, said after it. */
export interface ClaimNotes {
  /** Its place among the questions on these tasks. */
  readonly asked?: AskedFacts;
  readonly drift?: DriftFacts;
  /** Ids of tasks that the earlier skill always did well and the later one never does. */
  readonly lost?: readonly string[];
  /** Ids of tasks that helped to make one of the skills. */
  readonly seen?: readonly string[];
  /** Who answered, as the provider named itself. */
  readonly models?: readonly string[];
  /** How many results each host answered for. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** Replies of the target that were no answers, by arm and kind. */
  readonly unusable?: ClaimEvidence["unusable"];
  /** Ids of tasks that a person left out. */
  readonly leftOut?: readonly string[];
  /** Ids of tasks with results that may still come. */
  readonly missing?: readonly string[];
  /** What a rollout takes with each skill. */
  readonly perRollout?: ArmCosts | undefined;
  /** A judge of the optimizer's kind, and the optimizer. */
  readonly relatedJudge?: JudgeModels | undefined;
}

export interface DriftFacts {
  readonly size: number;
  readonly p: number;
}

/** What a claim found, in sentences that say what was tested and no more. */
export function claimSentence(claim: ClaimFacts, notes: ClaimNotes = {}): string {
  return [...headSentences(claim, notes), ...reasonSentences(claim), ...noteSentences(claim, notes)].join(
    " ",
  );
}

/** One of the numbers that a verdict is read from, with what it means. */
export interface VerdictFigure {
  readonly value: string;
  readonly note: string;
}

/**
 * A verdict as a screen shows it: gain, luck and price, then what its sentence says beyond them. The sentence alone where no
 * gain is claimed.
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

/** The figures of a screen in sentences. */
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

/** Whether p decided: the other verdicts rest on an interval, or on answers that know nothing. */
const isTested = ({ verdict, reason }: ClaimFacts): boolean =>
  ["better", "worse", "higher", "lower"].includes(verdict) ||
  (verdict === "not-proven" && reason !== "constant-answer");

/** The p of the direction that was found, and its threshold. */
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
  return isOfThese(claim) ? ["It says nothing of other tasks."] : [];
}

const isOfThese = ({ verdict }: Pick<ClaimFacts, "verdict">): boolean =>
  ["higher", "lower", "even"].includes(verdict);

/** What the test counted: tasks that moved, or trials that passed. */
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

/** In either direction: under the hypothesis that both are alike, one is as likely as the other. */
function luckText(claim: ClaimFacts): string {
  const either = "if both texts behaved alike, a difference this large in either direction would come";
  const p = 2 * (claim.difference < 0 ? claim.pWorse : claim.p);
  return p > 0.5 ? `${either} more often than not` : `${either} one time in ${oneIn(p)}`;
}

/** `33`, `2,100`: one over p, to two digits. */
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
          `The target gave the same answers again, so repeats were not bought: ${claim.wins + claim.losses} of ${claim.tasks} tasks changed.`,
        ]
      : []),
    ...(lost.length > 0 ? [lostSentence(claim, lost)] : []),
    ...objectiveSentences(perRollout),
    ...(related === undefined ? [] : [related]),
    ...(drift === undefined ? [] : [driftSentence(drift)]),
    ...(models.length > 1
      ? [`The model changed meanwhile: the provider answered as ${listIds(models)}.`]
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

/** A change of cost is said where it is clear and not small, or where an objective asks for it. */
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

/** `+102 % (+95 % to +110 %)` */
function rangeText(cost: ArmCost | undefined): string {
  if (cost?.ratio === undefined) return "nobody counted";
  return `${growth(cost.ratio.value)} (${growthRange(cost.ratio)})`;
}

/** `+95% to +110%` */
export const growthRange = ({ low, high }: NonNullable<ArmCost["ratio"]>): string =>
  `${growth(low)} to ${high === null ? "any" : growth(high)}`;

/** A tenth at least, and none of it by chance. */
const isClearChange = ({ ratio }: ArmCost): boolean =>
  ratio !== undefined &&
  Math.abs(ratio.value - 1) >= 0.1 &&
  (ratio.low > 1 || (ratio.high !== null && ratio.high < 1));

/** Whether the cost keeps to its objective; nothing without one. */
export function objectiveSentences({ objective }: Pick<ArmCosts, "objective"> = {}): readonly string[] {
  if (objective === undefined) return [];
  const limit = `the objective of ${growth(1 + objective.maxCost)}`;
  const p = `(p = ${objective.p.toPrecision(2)})`;
  const sentences = {
    above: `Its cost is more than ${limit} allows, so it is not proven.`,
    within: `Its cost keeps to ${limit} ${p}.`,
    open: `Its cost is not shown to keep to ${limit} ${p}, so it is not proven.`,
  };
  return [sentences[objective.found]];
}

/** Whether what a rollout takes does not stand against a proof. */
export const keepsObjective = (costs: Pick<ArmCosts, "objective"> | undefined): boolean =>
  costs?.objective === undefined || costs.objective.found === "within";

/** A single trial may be luck, and several agree by chance less easily. */
const lostSentence = ({ rollouts, tasks }: ClaimFacts, lost: readonly string[]): string =>
  rollouts > 2 * tasks
    ? `Lost, though done well before: ${listIds(lost)}.`
    : `Worse in their single trial: ${listIds(lost)}.`;

const signed = (effect: number): string => points(effect).replace(" points", "");

/** Beside what the pairs say, which ran side by side. */
export const driftSentence = ({ size, p }: DriftFacts): string =>
  `Drift: the target itself moved by ${points(size)} meanwhile (by chance one time in ${oneIn(p)}); both arms ran side by side, so the verdict does not rest on it.`;

/** The first five of them. */
export const listIds = (ids: readonly string[]): string =>
  ids.length <= 5 ? ids.join(", ") : `${ids.slice(0, 5).join(", ")} and ${ids.length - 5} more`;

/** How a claim takes what was left out. */
const leftOutSentence = (ids: readonly string[]): string =>
  `Left out by name: ${listIds(ids)}. p and the interval count ${ids.length === 1 ? "it" : "each of them"} as a loss.`;

/** The target's own: what a skill brings about counts as it was scored. */
function unusableSentence({ before, after }: NonNullable<ClaimNotes["unusable"]>): string {
  const named = (counts: typeof before) =>
    Object.entries(counts).map(([kind, count]) => `${count} ${kind === "cut" ? "cut off" : kind}`);
  const arm = (counts: typeof before) => named(counts).join(", ") || "none";
  return `Unusable replies count as they were scored: ${arm(before)} before, ${arm(after)} after.`;
}

/** What a run goes on without, said when it begins. */
export const goesWithoutSentence = (ids: readonly string[]): string =>
  `left out by name: ${listIds(ids)} (a claim counts ${ids.length === 1 ? "it" : "each of them"} as a loss)`;

/** The way out where tasks never get an answer. */
export const leaveOutStep = (ids: readonly string[]): string =>
  `If ${ids.length === 1 ? "this task never gets" : "these tasks never get"} an answer, add ${leaveOutFlag(ids)}: the run goes on without ${ids.length === 1 ? "it, and a claim counts it" : "them, and a claim counts each of them"} as a loss.`;

const leaveOutFlag = (ids: readonly string[]): string => {
  const list = ids.join(",");
  return `--leave-out ${/^[\w.:,/-]+$/.test(list) ? list : JSON.stringify(list)}`;
};

export const unchangedSentence = "The original skill stays, so there is nothing to claim.";
export const identicalSentence = "Both skills are the same, byte for byte: nothing was run.";

/** Of a comparison, as far as the next step depends on it. */
export interface ComparedFacts {
  readonly verdict: ClaimWord | "identical";
  /** Ids of tasks with results that may still come. */
  readonly missing?: readonly string[] | undefined;
  readonly claim?: Pick<ClaimFacts, "steady" | "reason">;
  readonly perRollout?: Pick<ArmCosts, "objective">;
}

/** What to do after a comparison with an earlier skill, or with none. */
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

/** Where results may still come, or never do. */
export const missingStep = (tasks: readonly string[] = []): string =>
  `start the same command again: only the missing results are asked for${tasks.length === 0 ? "" : `. ${leaveOutStep(tasks)}`}`;

/** Where the later skill lists all options. */
export const withheldStep =
  "check for one answer (`whetstone doctor evals` names the checks), then run it again";

/** Where a fixed text does as well. */
const constantStep = "add tasks, or checks, that one fixed answer fails";

const nextSteps: Readonly<Record<Exclude<ComparedFacts["verdict"], "undecided">, string>> = {
  better: "take the later skill",
  worse: "keep the earlier skill; the results say which tasks it loses",
  "no-difference": "take the shorter one",
  even: "more tasks could show whether it holds beyond these",
  higher: "more tasks could show whether it holds beyond these",
  lower: "the results say which tasks it loses; more tasks could show whether it holds beyond these",
  "not-proven": "add tasks: they also make up for what these were asked before",
  withheld: withheldStep,
  identical: "nothing to do",
};

/** Where there is no earlier skill to go back to. */
const stepsWithoutSkill: Partial<typeof nextSteps> = {
  better: "keep the skill; `whetstone train` can try to make more of it",
  worse: "do without it, or train it; the results say which tasks it loses",
  "no-difference": "do without it, or train it: every prompt carries its tokens",
};

const dearerStep = "make it cheaper, or allow more: --max-cost is the most that a rollout may grow";

/** A target that only repeats itself has nothing to add by repeating. */
const moreTasks = "more tasks: the target gives the same answers again, so more trials would tell nothing";

/** What became of a rule. */
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

/** What a gate did with a candidate; `original`, `guidance` and `end` are texts that no step made. */
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

/** Where rules are measured one by one, no candidate is taken or turned down: the text changes, or stays. */
const ruleStepWords: Readonly<Partial<Record<keyof typeof stepWords, StepLook>>> = {
  accept_new_best: newText,
  accept: newText,
  reject: { word: "unchanged", tone: "even", sign: "=" },
};

/** How a step is called, by what its gate decides about. */
export const stepLook = (action: keyof typeof stepWords, isRulesGate: boolean): StepLook =>
  (isRulesGate ? ruleStepWords[action] : undefined) ?? stepWords[action];

/** `+5.6 (+3.6 to +7.6)`: points with their interval, which says more than a chance next to them. */
export const worthText = (worth: ShownWorth): string => `${signedPoint(worth.points)} (${worthRange(worth)})`;

/** Points with their interval, or with the standard deviation of a bell curve. */
type ShownWorth = Pick<WorthEstimate, "points" | "sd"> & Partial<Pick<WorthEstimate, "low" | "high">>;

/** `+3.6 to +7.6`: the interval of a rule's points. */
export function worthRange({ points: expected, sd, ...own }: ShownWorth): string {
  const { low, high } = { ...bellInterval(expected, sd), ...own };
  return `${signedPoint(low)} to ${signedPoint(high)}`;
}

/** `+5.6` of 5.6 points. */
export const signedPoint = (expected: number): string =>
  Math.abs(expected) < 0.05 ? "0.0" : signed(expected / 100);

/** `+320 ± 40` tokens with half their interval, and turns where they clearly change: what a rule adds to a rollout. */
export function priceText(price: RolloutPrice | undefined): string {
  if (price === undefined) return "";
  const { tokens, tokensSd, turns, turnsSd } = price;
  const sign = (value: number, digits: number) =>
    `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
  const isTurning = Math.abs(turns) >= 0.1 && Math.abs(turns) > 2 * turnsSd;
  return `${sign(tokens, 0)} ± ${(z95 * tokensSd).toFixed(0)}${isTurning ? `, ${sign(turns, 1)} turns` : ""}`;
}

/** What is known of a rule, behind its words. */
export const ruleLabel = (rule: Pick<MeasuredRule, "points" | "sd" | "rollouts">): string =>
  rule.rollouts === 0
    ? "not measured"
    : `${signedPoint(rule.points)} points (${levelText} interval ${worthRange(rule)})`;

/** How many rules were tried and are not in the text, and why; empty where there is none. */
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
  /** Wanted, but they can't be without what was left out. */
  readonly lost: readonly string[];
  /** Expected scores on val, of the part and of the whole, where the rules were measured by a search. */
  readonly expected?: { readonly part: number; readonly whole: number } | undefined;
  readonly isSealed: boolean;
}

/** What is known of a part of a proposal's rules: the model's word, and no test's. */
export function subsetSentence({ taken, of, lost, expected, isSealed }: SubsetFacts): string {
  return [
    expected === undefined
      ? `${taken} of ${of} rules.`
      : `${taken} of ${of} rules: the model expects ${percent(expected.part)} on val, and ${percent(expected.whole)} with all of them.`,
    ...(lost.length === 0
      ? []
      : [`Without the others ${lost.length === 1 ? "rule" : "rules"} ${lost.join(", ")} cannot stand.`]),
    isSealed
      ? "The sealed test was of the whole; this part of it was not tested by itself."
      : "No sealed test was read.",
  ].join(" ");
}
