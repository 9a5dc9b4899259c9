import { WhetstoneError } from "../errors.ts";
import { binomial } from "../gate/claim/claim-limits.ts";
import { fisherP } from "../gate/fisher.ts";
import type { AnswerScore } from "../scorers/performance.ts";
import { scoreTask } from "../scorers/score-task.ts";
import type { Judge } from "./ask-judge.ts";
import { type Compared, comparePair } from "./compare-pair.ts";
import { leastControls } from "./controls.ts";
import { UnusableVerdict } from "./judge-answer.ts";
import {
  type KnownAnswers,
  type Probe,
  type ProbeKind,
  callsOf,
  firstProbes,
  planProbes,
  rubricTexts,
} from "./probes.ts";

export interface Calibration {
  /** Whether the judge may score. */
  readonly ok: boolean;
  /** The result in one sentence. */
  readonly sentence: string;
  /** The next step when it's not ok. */
  readonly next?: string;
  readonly groups: readonly CalibrationGroup[];
  /** Balanced accuracy: the mean of the correct shares among good and bad answers. Null if either kind is missing. */
  readonly accuracy: number | null;
  /** One-sided p of Fisher's exact test that it passes good answers no more often than bad ones. */
  readonly p: number;
  /** Good against bad answers of the same task, each asked in both orders. */
  readonly pairs: {
    readonly won: number;
    readonly tied: number;
    readonly lost: number;
    /** Ties because the two orders disagreed. */
    readonly swayed: number;
  };
}

export interface CalibrationGroup {
  readonly kind: ProbeKind;
  readonly answers: number;
  readonly passed: number;
  /** Answers without a usable verdict. They count as errors, good or bad. */
  readonly unusable: number;
  readonly mean: number;
}

/** The balanced accuracy a judge must reach, overall and against each kind of bad answer. */
export const leastAccuracy = 0.75;
const alpha = 0.05;

/**
 * Tries a judge on answers known to be good or bad, before it may score any others. Ten calls are enough if it gets all
 * of them right. Otherwise we try every known answer, and compare good with bad ones.
 *
 * @example
 * const tryJudge = (judge: Judge, known: KnownAnswers) => calibrateJudge(known, { judge });
 */
export async function calibrateJudge(
  known: KnownAnswers,
  {
    judge,
    onRound,
  }: {
    readonly judge: Judge;
    /** Called when a round begins: the first one, and a larger one if doubt remains. */
    readonly onRound?: ((calls: number) => void) | undefined;
  },
): Promise<Calibration> {
  const probes = planProbes(known);
  const first = firstProbes(probes);
  if (callsOf(first) < callsOf(probes)) {
    onRound?.(callsOf(first));
    const groups = groupsOf(await Promise.all(first.map((probe) => judgeProbe(probe, judge))));
    const found = decideOn(groups, { won: 0, tied: 0, lost: 0, swayed: 0 }, known);
    if (found.ok && isBeyondDoubt(groups)) return found;
  }
  const pairs = pairsOf(probes);
  onRound?.(callsOf(probes) + 2 * pairs.length);
  const [judged, compared] = await Promise.all([
    Promise.all(probes.map((probe) => judgeProbe(probe, judge))),
    Promise.all(pairs.map(([good, bad]) => compare(good, bad, judge))),
  ]);
  const counts = {
    won: compared.filter((pair) => pair?.better === "a").length,
    tied: compared.filter((pair) => pair === undefined || pair.better === "tie").length,
    lost: compared.filter((pair) => pair?.better === "b").length,
    swayed: compared.filter((pair) => pair?.swayed === true).length,
  };
  return decideOn(groupsOf(judged), counts, known);
}

const groupsOf = (judged: readonly Judged[]): readonly CalibrationGroup[] =>
  kinds.flatMap((kind) => summarizeGroup(kind, judged));

const decideOn = (
  groups: readonly CalibrationGroup[],
  pairs: Calibration["pairs"],
  { rows = [] }: KnownAnswers,
): Calibration => (rows.some(({ good }) => good) ? decide(groups, pairs) : decideUnassured(groups, pairs));

/** Right about everything known for sure. A reference may only describe a good answer, so failing one isn't a mistake. */
function isBeyondDoubt(groups: readonly CalibrationGroup[]): boolean {
  const isOurs = groups.some(({ kind }) => kind === "control");
  return groups.every((group) => {
    if (isBad(group)) return rightShare(group) === 1;
    return group.passed === group.answers || (group.kind === "good" && isOurs && group.unusable === 0);
  });
}

/** Rejects a judge that didn't pass, and shows the table. */
export function requireCalibrated(calibration: Calibration, judge: string): void {
  if (calibration.ok) return;
  const { sentence, next } = calibration;
  throw new WhetstoneError(
    "judge-uncalibrated",
    [`${judge} can't be the judge: ${sentence}`, ...calibrationTable(calibration)].join("\n"),
    { hint: next ?? nextJudge },
  );
}

/** Says why a judge can't score one task's rubrics, in a sentence about the task; undefined if it can. */
export function problemOfRubric({ ok, sentence, groups }: Calibration): string | undefined {
  if (ok) return undefined;
  const listed = (some: readonly CalibrationGroup[]) => some.map(({ kind }) => names[kind]).join(", ");
  const bad = groups.filter(isBad);
  const passed = bad.filter((group) => group.passed > 0);
  if (passed.length > 0)
    return `Its rubric can't tell good from bad: the judge passes an answer that is ${listed(passed)}.`;
  const unusable = bad.filter((group) => group.unusable > 0);
  return unusable.length > 0
    ? `The judge gave no usable verdict on an answer that is ${listed(unusable)}.`
    : `The judge can't be tried on its rubric: ${sentence}`;
}

export function calibrationTable({ groups, pairs }: Calibration): readonly string[] {
  const row = (cells: readonly string[]) =>
    `  ${cells.map((cell, at) => (at === 0 ? cell.padEnd(30) : cell.padStart(10))).join("")}`;
  const compared = pairs.won + pairs.tied + pairs.lost;
  return [
    row(["answers", "number", "passed", "unusable", "mean"]),
    ...groups.map(({ kind, answers, passed, unusable, mean }) =>
      row([names[kind], String(answers), String(passed), String(unusable), mean.toFixed(2)]),
    ),
    ...(compared === 0
      ? []
      : [
          `  pairs, good against bad: ${pairs.won} won, ${pairs.tied} tied (${pairs.swayed} changed with the order), ${pairs.lost} lost`,
        ]),
  ];
}

const kinds = [
  "good",
  "control",
  "bad",
  "empty",
  "refusal",
  "request",
  "other",
  "injected",
] as const satisfies readonly ProbeKind[];

const names: Readonly<Record<ProbeKind, string>> = {
  good: "known to be good",
  control: "plainly good, built in",
  bad: "known to be bad",
  empty: "empty",
  refusal: "a refusal",
  request: "the request itself",
  other: "the answer of another task",
  injected: "an order to the judge",
};

interface Judged {
  readonly kind: ProbeKind;
  readonly pass: boolean;
  /** Undefined when the judge said nothing usable. */
  readonly score: number | undefined;
}

async function judgeProbe(probe: Probe, judge: Judge): Promise<Judged> {
  const score = await scoreProbe(probe, judge);
  return { kind: probe.kind, pass: score?.hard === 1, score: score?.soft };
}

/** Undefined when the judge said nothing usable. */
export async function scoreProbe(
  { task, performance }: Pick<Probe, "task" | "performance">,
  judge: Judge,
): Promise<AnswerScore | undefined> {
  try {
    const score = await scoreTask(task, performance, { judge });
    if ("kind" in score) throw new WhetstoneError("tasks-invalid", `Task ${task.id}: ${score.reason}.`);
    return score;
  } catch (error) {
    if (error instanceof UnusableVerdict) return undefined;
    throw error;
  }
}

const maxPairs = 5;

/** Pairs a good with a bad answer of the same task, in both orders. */
function pairsOf(probes: readonly Probe[]): readonly (readonly [Probe, Probe])[] {
  const bad = probes.filter(({ kind }) => kind === "bad" || kind === "other" || kind === "refusal");
  const pairs = probes
    .filter(({ kind }) => kind === "good")
    .flatMap((good): readonly (readonly [Probe, Probe])[] => {
      const against = bad.find(({ task }) => task.id === good.task.id);
      return against === undefined ? [] : [[good, against]];
    });
  return pairs.slice(0, maxPairs);
}

const compare = (good: Probe, bad: Probe, judge: Judge): Promise<Compared | undefined> =>
  comparePair(
    {
      task: good.task,
      rubric: rubricTexts(good.task).join("\n"),
      a: good.performance,
      b: bad.performance,
    },
    judge,
  );

function summarizeGroup(kind: ProbeKind, judged: readonly Judged[]): readonly CalibrationGroup[] {
  const own = judged.filter((each) => each.kind === kind);
  if (own.length === 0) return [];
  const scores = own.flatMap(({ score }) => (score === undefined ? [] : [score]));
  const mean = scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return [
    {
      kind,
      answers: own.length,
      passed: own.filter(({ pass }) => pass).length,
      unusable: own.length - scores.length,
      mean,
    },
  ];
}

const isBad = ({ kind }: CalibrationGroup): boolean => kind !== "good" && kind !== "control";

/**
 * A reference may describe the result rather than be it, so a judge that passes none of them only gets a warning.
 * A judge that passes bad answers, or fails our plainly good ones, is still refused.
 */
function decideUnassured(groups: readonly CalibrationGroup[], pairs: Calibration["pairs"]): Calibration {
  const decided = decide(groups, pairs);
  const bad = groups.filter(isBad);
  const isFooled = bad.some((group) => rightShare(group) < leastAccuracy);
  const [control] = groups.filter(({ kind }) => kind === "control");
  if (bad.length > 0 && !isFooled && control !== undefined && control.passed < leastControls) {
    const sentence = `it passes ${control.passed} of ${control.answers} answers that plainly meet their rubrics.`;
    return { ...decided, ok: false, sentence, next: nextJudge };
  }
  if (decided.ok || bad.length === 0 || isFooled) return decided;
  const [good] = groups.filter(({ kind }) => kind === "good");
  const known =
    good === undefined
      ? "no answer to these tasks is known to be good"
      : `it passes ${good.passed} of ${good.answers} references, which may be descriptions`;
  const { next: _, ...facts } = decided;
  return {
    ...facts,
    ok: true,
    sentence: `It rejects bad answers${control === undefined ? "" : " and passes our plainly good ones"}, but ${known}. To be sure, mark some answers in a file and run \`whetstone judge agree\`.`,
  };
}

function decide(groups: readonly CalibrationGroup[], pairs: Calibration["pairs"]): Calibration {
  const [good] = groups.filter(({ kind }) => kind === "good");
  const bad = groups.filter(isBad);
  const badAnswers = total(bad, "answers");
  if (good === undefined || badAnswers === 0) {
    const sentence =
      badAnswers === 0
        ? "no task has a rubric that a good answer must meet, so it can't be tried."
        : "no answer is known to be good, so it can't be tried on one.";
    const next =
      badAnswers === 0 ? "Write a rubric without `negate`, and outside sets of other checks." : nextGood(1);
    return { ok: false, sentence, next, groups, accuracy: null, p: 1, pairs };
  }
  const accuracy = (rightShare(good) + rightShares(bad)) / 2;
  const p = fisherP(
    { passed: good.passed, trials: good.answers },
    { passed: total(bad, "passed"), trials: badAnswers },
  );
  const facts = { groups, accuracy, p, pairs };
  const refuse = (sentence: string, next = nextJudge): Calibration => ({
    ok: false,
    sentence,
    next,
    ...facts,
  });
  const shown = `${Math.round(100 * accuracy)}%`;
  if (accuracy < leastAccuracy)
    return refuse(
      `it tells good answers from bad ones in ${shown} of cases; it needs ${100 * leastAccuracy}%.`,
    );
  const fooled = bad.find((group) => (rightShare(good) + rightShare(group)) / 2 < leastAccuracy);
  if (fooled !== undefined)
    return refuse(
      `it passes ${fooled.passed} of ${fooled.answers} bad answers of one kind (${names[fooled.kind]}).`,
      fooled.kind === "other" ? nextBad : nextJudge,
    );
  if (weightedMean(bad) >= good.mean)
    return refuse("on average, it scores bad answers at least as high as good ones.");
  if (pairs.lost > pairs.won)
    return refuse(
      `it prefers the bad answer of a pair ${pairs.lost} times and the good one ${pairs.won} times.`,
    );
  if (p > alpha) {
    let needed = good.answers;
    while (1 / binomial(needed + badAnswers, needed) > alpha) needed += 1;
    const few = `${good.answers} good and ${badAnswers} bad answers are too few to tell its verdicts from chance (p = ${p.toFixed(2)}).`;
    return refuse(few, needed > good.answers ? nextGood(needed) : nextJudge);
  }
  const answers = `${good.answers} good and ${badAnswers} bad answers`;
  return { ok: true, sentence: `It tells ${answers} apart in ${shown} of cases.`, ...facts };
}

const nextBad =
  "Name a stronger model as `judge`; or, if those answers do meet the rubrics, list bad ones in `calibration`: { task, answer, good: false }.";

const nextJudge =
  "Name a stronger model as `judge`, or write the rubrics so that a stranger could apply them.";

const nextGood = (count: number): string =>
  `Give ${count} or more tasks a \`reference\`, or list judged answers in \`calibration\`: { task, answer, good }.`;

/** The share judged correctly. */
const rightShare = ({ kind, answers, passed, unusable }: CalibrationGroup): number =>
  kind === "good" ? passed / answers : (answers - passed - unusable) / answers;

const rightShares = (groups: readonly CalibrationGroup[]): number =>
  groups.reduce((sum, group) => sum + rightShare(group) * group.answers, 0) / total(groups, "answers");

const weightedMean = (groups: readonly CalibrationGroup[]): number => {
  const usable = groups.reduce((sum, { answers, unusable }) => sum + answers - unusable, 0);
  const scores = groups.reduce((sum, { mean, answers, unusable }) => sum + mean * (answers - unusable), 0);
  return usable === 0 ? 0 : scores / usable;
};

const total = (groups: readonly CalibrationGroup[], field: "answers" | "passed"): number =>
  groups.reduce((sum, group) => sum + group[field], 0);
