import { stepWords } from "../../src/core/verdict-words.ts";
import { nameRules } from "../../src/core/search-words.ts";
import type { EvaluationReport, RolloutRef, TaskReport } from "../../src/report/model.ts";

/** Results that share a column group in the table of tasks: one step, or one set outside the steps. */
export interface Moment {
  readonly key: string;
  /** For the heading of a narrow column. */
  readonly short: string;
  /** In words. */
  readonly name: string;
  /** The most results that any task has in it. */
  readonly width: number;
}

/** Pass, fail, partial credit, a missing result, or never asked. */
export type Mark = "pass" | "fail" | "part" | "missing" | "none";

export interface MarkTable {
  /** Every moment that has a result of the splits' tasks, in run order. */
  readonly moments: readonly Moment[];
  /** One mark per result of each moment, by the task's index. */
  readonly marksOf: (place: number) => readonly (readonly Mark[])[];
}

/** All results as marks, computed once: a table of thousands of tasks is drawn from them while scrolling. */
export function tabulateMarks(
  evaluations: readonly EvaluationReport[],
  tasks: readonly TaskReport[],
  splits: readonly TaskReport["split"][],
): MarkTable {
  const isWanted = tasks.map(({ split }) => splits.includes(split));
  const shown = evaluations.filter(({ task }) => task.some((place) => isWanted[place]));
  const columns = [...Map.groupBy(shown, momentKey)].map(([key, group]) => {
    const counts = countResults(group, tasks.length);
    const width = counts.reduce((most, count, place) => (isWanted[place] ? Math.max(most, count) : most), 0);
    return { moment: { key, width, ...nameMoment(group) }, cells: fillCells(group, tasks.length, width) };
  });
  return {
    moments: columns.map(({ moment }) => moment),
    marksOf: (place) => columns.map(({ moment: { width }, cells }) => readCells(cells, place * width, width)),
  };
}

/** One mark for all results of a moment, for when there are too many to show. */
export function combineMarks(group: readonly Mark[]): Mark {
  let combined: Mark = "none";
  for (const mark of group) {
    if (mark === "none" || mark === combined) continue;
    if (combined === "none" || combined === "missing") combined = mark;
    else if (mark !== "missing") return "part";
  }
  return combined;
}

const marks = ["none", "pass", "fail", "part", "missing"] as const satisfies readonly Mark[];

function countResults(group: readonly EvaluationReport[], tasks: number): Uint32Array {
  const counts = new Uint32Array(tasks);
  for (const { task } of group) for (const place of task) counts[place] = (counts[place] ?? 0) + 1;
  return counts;
}

function fillCells(group: readonly EvaluationReport[], tasks: number, width: number): Uint8Array {
  const cells = new Uint8Array(tasks * width);
  const filled = new Uint32Array(tasks);
  for (const { task, hard } of group) {
    for (const [row, place] of task.entries()) {
      const at = filled[place] ?? width;
      // tasks of other splits may have more results than fit
      if (at < width) cells[place * width + at] = marks.indexOf(markOf(hard[row] ?? null));
      filled[place] = at + 1;
    }
  }
  return cells;
}

function readCells(cells: Uint8Array, from: number, width: number): readonly Mark[] {
  const found: Mark[] = [];
  for (let at = from; at < from + width; at += 1) found.push(marks[cells[at] ?? 0] ?? "none");
  return found;
}

const momentKey = ({ name, step }: EvaluationReport): string => (step > 0 ? `step ${step}` : name);

function nameMoment([first]: readonly EvaluationReport[]): Pick<Moment, "short" | "name"> {
  if (first === undefined) return { short: "", name: "" };
  return first.step > 0 ? { short: `${first.step}`, name: `step ${first.step}` } : nameRollout(first);
}

export function versionWords(version: number): string {
  const special: Readonly<Record<number, string>> = {
    0: stepWords.original.word,
    [-1]: "no skill",
    [-2]: "a one-shot rewrite",
    [-3]: "a skill that wasn't kept",
  };
  return special[version] ?? `version ${version}`;
}

/** `rules 3 and 7`, or their number if there are too many to read. */
export function rulesWords(rules: readonly number[]): string {
  if (rules.length === 0) return "no rule";
  return rules.length > 8 ? `${rules.length} rules` : nameRules(rules);
}

export function nameRollout({
  stage,
  step,
  version,
  rules,
}: Pick<RolloutRef, "stage" | "step" | "version" | "rules">): Pick<Moment, "short" | "name"> {
  if (rules !== undefined) return { short: `${step}`, name: `step ${step}, with ${rulesWords(rules)}` };
  const who = versionWords(version);
  const short = version === -1 ? "no" : version === -2 ? "1×" : version === -3 ? "–" : `v${version}`;
  if (stage === "test") return { short, name: `${who}, sealed test` };
  if (stage === "baseline") return { short, name: `${who}, before training` };
  if (step === 0) return { short, name: `${who}, ${stageWords[stage] ?? stage}` };
  if (stage === "rollout") return { short: `${step}`, name: `step ${step}, training with ${who}` };
  if (stage === "evaluate") return { short: `${step}`, name: `step ${step}, candidate on val` };
  return { short: `${step}`, name: `step ${step}, ${stageWords[stage] ?? stage}, ${who}` };
}

const stageWords: Readonly<Partial<Record<RolloutRef["stage"], string>>> = {
  evaluate: "measured on val",
  regression: "run again",
  epoch: "review of the epoch",
  rollout: "training",
};

export const markOf = (hard: number | null): Mark =>
  hard === null ? "missing" : hard === 1 ? "pass" : hard === 0 ? "fail" : "part";

/** The set of results that a rollout belongs to. */
export const evaluationOf = ({ ref }: Pick<RolloutRef, "ref">): string => ref.slice(0, ref.lastIndexOf("#"));

/** Finished rollouts of each task and how many passed, by the task's index. */
export function countPasses(
  evaluations: readonly EvaluationReport[],
  tasks: number,
): readonly { readonly finished: number; readonly passed: number }[] {
  const counts = Array.from({ length: tasks }, () => ({ finished: 0, passed: 0 }));
  for (const { task, hard } of evaluations) {
    for (const [row, place] of task.entries()) {
      const [count, score] = [counts[place], hard[row]];
      if (count === undefined || score === null || score === undefined) continue;
      count.finished += 1;
      count.passed += score === 1 ? 1 : 0;
    }
  }
  return counts;
}
