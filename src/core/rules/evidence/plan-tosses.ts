import type { MinedTask } from "../../ports/mined-task.ts";
import type { LearnedEdit } from "../learned/learned-rule.ts";
import { type Measured, isUndecided, mostPromising, standingsOf } from "./standing.ts";
import { type TaskEvidence, tossChance } from "./toss.ts";

/** A wording that a night may include in a text or leave out. */
export interface Toggle extends Measured {
  readonly id: string;
  readonly edit: LearnedEdit;
  /** How often its wish was stated so far. */
  readonly said: number;
  /** Ids of the conversations that it was made from: their tasks never count for it. */
  readonly from: readonly string[];
  /** Ids of the tasks of its habit. */
  readonly habit: ReadonlySet<string>;
}

export interface TossSettings {
  /** The most wordings in one text. */
  readonly mostOpen: number;
  /** The most tasks of habits that a night rolls for a document. */
  readonly mostTasks: number;
  /** Pairs of rollouts of each task. */
  readonly tosses: number;
}

export interface TossPlan {
  /** The wordings that are tossed tonight. */
  readonly toggles: readonly Toggle[];
  /** The tasks to roll, those of the most promising wording first. */
  readonly tasks: readonly MinedTask[];
  /** Whether this night may prove a wording. If so, the standing tasks are rolled as well. */
  readonly canProve: boolean;
}

export interface TossMatter {
  readonly toggles: readonly Toggle[];
  /** Every other wording that nights ever measured, whatever its outcome. */
  readonly others: readonly Measured[];
  /** Tasks of tonight and of earlier nights. */
  readonly tasks: readonly MinedTask[];
}

/** Plans tonight's rollouts: fresh tasks from the habits of undecided wordings, most promising first. */
export function planTosses({ toggles, others, tasks }: TossMatter, settings: TossSettings): TossPlan {
  const standings = standingsOf([...toggles, ...others]);
  const waiting = toggles
    .filter((_, at) => isUndecided(standings[at] ?? "open"))
    .map((toggle) => ({ ...toggle, weight: toggle.weight ?? toggle.said }))
    .filter((toggle) => freshFor(toggle, tasks).length > 0);
  const chosen = mostPromising(waiting, settings.mostOpen);
  const rolled = [...new Set(chosen.flatMap((toggle) => freshFor(toggle, tasks)))].slice(
    0,
    settings.mostTasks,
  );
  const best = chosen.map((toggle) => ({
    ...toggle,
    evidence: [
      ...toggle.evidence,
      ...freshFor(toggle, rolled).map(({ task }) => perfect(task.id, settings.tosses)),
    ],
  }));
  const ids = new Set(chosen.map(({ id }) => id));
  const rest = [...toggles.filter(({ id }) => !ids.has(id)), ...others];
  const canProve = standingsOf([...best, ...rest])
    .slice(0, best.length)
    .includes("proven");
  return { toggles: chosen, tasks: rolled, canProve };
}

/** The tasks of its habit that may still count for it. */
const freshFor = (toggle: Toggle, tasks: readonly MinedTask[]): readonly MinedTask[] =>
  tasks.filter((mined) => toggle.habit.has(mined.task.id) && mayCount(toggle, mined));

/** Not counted yet, and from other conversations than the wording. */
export function mayCount(
  { evidence, from }: Pick<Toggle, "evidence" | "from">,
  { task, seen }: MinedTask,
): boolean {
  return !evidence.some((one) => one.task === task.id) && !seen.some((id) => from.includes(id));
}

/** As if the wording had fixed the task in every toss. */
const perfect = (task: string, tosses: number): TaskEvidence => ({
  task,
  night: "",
  isOwn: true,
  tosses: Array.from({ length: tosses }, () => ({ on: true, chance: tossChance, score: 1, other: 0 })),
});
