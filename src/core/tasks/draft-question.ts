import { oneLine } from "../one-line.ts";
import { plural } from "../plural.ts";
import type { Skill } from "../skill/skill.ts";
import { joinSections, skillSection } from "../stages/optimizer-text.ts";
import type { Check, Task } from "./task.ts";

/** The material for drafts. */
export interface KnownWork {
  readonly skill: Skill;
  /** @default none: there's only the skill's own text */
  readonly tasks?: readonly Task[];
  /** Hard scores of recorded rollouts, by task id. */
  readonly scores?: ReadonlyMap<string, readonly number[]>;
  /** The text of rules that a training proposed and nobody has adopted. */
  readonly rules?: readonly string[];
}

/** Asks for a number of tasks. It shows the skill, existing tasks with the failing ones first, and rules on trial. */
export function draftQuestion(known: KnownWork, count: number): string {
  const { skill, tasks = [], scores = new Map(), rules = [] } = known;
  const rate = ({ id }: Task): number => mean(scores.get(id) ?? []);
  const shown = tasks.toSorted((a, b) => rate(a) - rate(b)).slice(0, mostShown);
  const isAnswered = tasks.length > 0 && tasks.every(({ answers = [] }) => answers.length > 0);
  return joinSections([
    skillSection(skill),
    shown.length === 0
      ? ""
      : `# Tasks that exist\n\n${shown.map((task) => taskLine(task, scores)).join("\n")}`,
    rules.length === 0 ? "" : `# Rules on trial\n\n${rules.map((rule) => `- ${oneLine(rule)}`).join("\n")}`,
    `Write ${plural(count, "task")}.${isAnswered ? " Give each its answer." : ""}`,
  ]);
}

const mostShown = 40;

/** Tasks that haven't been run yet come last. */
const mean = (scores: readonly number[]): number =>
  scores.length === 0 ? 1 : scores.reduce((sum, score) => sum + score, 0) / scores.length;

function taskLine(task: Task, known: ReadonlyMap<string, readonly number[]>): string {
  const scores = known.get(task.id) ?? [];
  const passed = scores.filter((score) => score === 1).length;
  const record =
    scores.length === 0 ? "not run yet" : `passed in ${passed} of ${plural(scores.length, "run")}`;
  const wanted = task.answers ?? (task.checks ?? []).map(checkWords);
  return `- ${record}: ${oneLine(task.input, 300)}\n  expected: ${oneLine(wanted.join("; "), 300)}`;
}

/** A check in words, for a reader of tasks. */
export const checkWords = ({ kind, value, negate }: Check): string =>
  `${negate === true ? "not " : ""}${kind === "rubric" ? "" : `${kind} `}${typeof value === "string" ? value : JSON.stringify(value)}`;
