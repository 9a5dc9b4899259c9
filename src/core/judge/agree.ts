import { binomialInterval } from "../gate/binomial-interval.ts";
import { shownLevel } from "../shown-level.ts";
import type { Task } from "../tasks/task.ts";
import type { Judge } from "./ask-judge.ts";
import { scoreProbe } from "./calibrate.ts";
import { type CalibrationRow, judgedTasks, probeOf } from "./probes.ts";

/** A share or kappa with its interval. */
export interface AgreedShare {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** An answer that the judge and the person marked differently. */
export interface Disagreement {
  /** The row's number in the file, from 1. */
  readonly row: number;
  readonly task: string;
  readonly person: "good" | "bad";
  readonly judge: "good" | "bad" | "unusable";
  /** The judge's reason against the answer. */
  readonly why: string;
}

export interface Agreement {
  /** `agrees`: kappa is 0.6 or more and above chance. `disagrees`: 0.6 is ruled out. `open`: neither is shown. */
  readonly verdict: "agrees" | "disagrees" | "open";
  readonly answers: number;
  /** Answers by the person's mark, and how many of each the judge marked the same. */
  readonly good: { readonly answers: number; readonly agreed: number };
  readonly bad: { readonly answers: number; readonly agreed: number };
  /** Answers without a usable verdict, which count as disagreement. */
  readonly unusable: number;
  readonly agreement: AgreedShare;
  /** The agreement by chance of two raters who mark answers good as often as these two. */
  readonly byChance: number;
  /** Cohen's kappa: 0 is chance, 1 is full agreement. Its interval is the agreement's, with chance held fixed. */
  readonly kappa: AgreedShare;
  readonly disagreements: readonly Disagreement[];
  /** Rows, from 1, whose task doesn't have a rubric that the judge decides alone. */
  readonly unjudged: readonly number[];
}

/** The usual threshold for substantial agreement. */
export const leastKappa = 0.6;

/** The most answers that a judge gets at a time: a local server may have a single slot. */
const atATime = 4;

/**
 * Asks a judge about answers that a person has marked, and measures how far the two agree. Undefined unless the person
 * marked both good and bad answers, because agreement on one kind may just be a habit.
 */
export async function agreeWithMarks(
  { tasks, rows }: { readonly tasks: readonly Task[]; readonly rows: readonly CalibrationRow[] },
  judge: Judge,
): Promise<Agreement | undefined> {
  const judged = judgedTasks(tasks);
  const probes = rows.map((row) => probeOf(row, judged));
  const marked = probes.flatMap((probe, at) => (probe === undefined ? [] : [{ probe, row: at + 1 }]));
  if (new Set(marked.map(({ probe }) => probe.kind)).size < 2) return undefined;
  const results: Disagreement[] = [];
  for (let from = 0; from < marked.length; from += atATime)
    results.push(
      ...(await Promise.all(
        marked.slice(from, from + atATime).map(async ({ probe, row }): Promise<Disagreement> => {
          const score = await scoreProbe(probe, judge);
          return {
            row,
            task: probe.task.id,
            person: probe.kind === "good" ? "good" : "bad",
            judge: score === undefined ? "unusable" : score.hard === 1 ? "good" : "bad",
            why: score === undefined || score.hard === 1 ? "" : score.feedback,
          };
        }),
      )),
    );
  const unjudged = probes.flatMap((probe, at) => (probe === undefined ? [at + 1] : []));
  return { ...measureAgreement(results), unjudged };
}

function measureAgreement(results: readonly Disagreement[]): Omit<Agreement, "unjudged"> {
  const answers = results.length;
  const count = (person: "good" | "bad", judge?: Disagreement["judge"]) =>
    results.filter((one) => one.person === person && (judge === undefined || one.judge === judge)).length;
  const group = (mark: "good" | "bad") => ({ answers: count(mark), agreed: count(mark, mark) });
  const [good, bad] = [group("good"), group("bad")];
  const alike = good.agreed + bad.agreed;
  const [low, high] = binomialInterval(alike, answers, 1 - shownLevel);
  const share = (mark: "good" | "bad") => results.filter(({ judge }) => judge === mark).length / answers;
  const byChance = (good.answers / answers) * share("good") + (bad.answers / answers) * share("bad");
  // both kinds are marked, so chance agreement is never 1
  const overChance = (agreed: number) => (agreed - byChance) / (1 - byChance);
  const kappa = { value: overChance(alike / answers), low: overChance(low), high: overChance(high) };
  return {
    verdict:
      kappa.value >= leastKappa && kappa.low > 0 ? "agrees" : kappa.high < leastKappa ? "disagrees" : "open",
    answers,
    good,
    bad,
    unusable: results.filter(({ judge }) => judge === "unusable").length,
    agreement: { value: alike / answers, low, high },
    byChance,
    kappa,
    disagreements: results.filter(({ person, judge }) => person !== judge),
  };
}
