import type { Context } from "../context.ts";
import { crossEpoch } from "../epoch/cross-epoch.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import type { Skill } from "../skill/skill.ts";
import { editBudget } from "../stages/edit-budget.ts";
import { decideCandidate } from "./decide.ts";
import type { GateDecision } from "./decision.ts";
import type { TriedStep } from "../stages/optimizer-text.ts";
import type { RolloutPlan } from "../stages/rollout.ts";
import type { Standing } from "./standing.ts";
import type { Splits, Task } from "../tasks/task.ts";
import { type StepOutcome, trainStep } from "./train-step.ts";

/** What a search does not change. */
export interface Course {
  readonly original: Skill;
  readonly splits: Splits;
  /** Epoch → batch → tasks. */
  readonly batches: readonly (readonly (readonly Task[])[])[];
  readonly leaks: LeakIndex;
  /** What follows the search, as far as it can begin before the search has ended. */
  readonly prepareEnd?: (standing: Standing, ahead: Context) => Promise<unknown>;
}

/** How far a search is: all that the rest of it depends on. */
export interface Progress {
  /** Epochs that have ended. */
  readonly epochs: number;
  /** Batches of this epoch that are done. */
  readonly batches: number;
  readonly steps: number;
  /** Candidates that had their turn, whatever the gate decided. */
  readonly proposed: number;
  readonly standing: Standing;
  /** The skill one epoch ago. */
  readonly previous: Skill;
  /** Of this epoch. */
  readonly tried: readonly TriedStep[];
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
}

export type SearchTurn =
  | { readonly kind: "step"; readonly progress: Progress; readonly record: StepOutcome }
  | { readonly kind: "epoch"; readonly progress: Progress; readonly decision?: GateDecision };

/** A candidate goes to the gate: how the search stands afterwards, whatever the gate says. */
export interface Fork {
  readonly rejected: Progress;
  readonly accepted: Progress;
}

/** Hears of a candidate before the gate does, and of the gate's results if it likes. */
export type OnFork = (fork: Fork) => RolloutPlan["onRolled"];

export const startOf = (original: Skill, standing: Standing): Progress => ({
  epochs: 0,
  batches: 0,
  steps: 0,
  proposed: 0,
  standing,
  previous: original,
  tried: [],
  meta: "",
});

export const isOver = ({ epochs }: Progress, { batches }: Course): boolean => epochs === batches.length;

/** The batch of the next step; undefined where an epoch ends first. */
export const nextBatch = (
  { epochs, batches: done }: Pick<Progress, "epochs" | "batches">,
  { batches }: Course,
): readonly Task[] | undefined => batches[epochs]?.[done];

export const countTurns = ({ batches }: Course): number =>
  batches.reduce((sum, epoch) => sum + epoch.length, 0);

/** One step, or what comes between two epochs. */
export async function takeTurn(
  progress: Progress,
  course: Course,
  context: Context,
  onFork?: OnFork,
): Promise<SearchTurn> {
  const batch = nextBatch(progress, course);
  return batch === undefined
    ? endEpoch(progress, course, context, onFork)
    : takeStep(batch, progress, course, context, onFork);
}

async function takeStep(
  batch: readonly Task[],
  progress: Progress,
  course: Course,
  context: Context,
  onFork?: OnFork,
): Promise<SearchTurn> {
  const { tried, meta, standing } = progress;
  const [epoch, step, steps] = [progress.epochs + 1, progress.steps + 1, countTurns(course)];
  const budget = scheduledBudget(step, steps, context);
  context.emit({ type: "step-start", step, epoch, steps, budget });
  const after = (next: Standing, one: TriedStep): Progress => ({
    ...progress,
    batches: progress.batches + 1,
    steps: step,
    proposed: progress.proposed + 1,
    standing: next,
    tried: [...tried, one],
  });
  const record = await trainStep(
    {
      step,
      epoch,
      standing,
      batch,
      budget,
      tried,
      meta,
      leaks: course.leaks,
      ...proposals(progress, course, context),
      onCandidate: (candidate, ifRejected) =>
        onFork?.({
          rejected: after(standing, ifRejected),
          accepted: after(standingOn(candidate, step, standing), { ...ifRejected, rejected: [] }),
        }),
    },
    context,
  );
  return { kind: "step", record, progress: after(record.standing, record.tried) };
}

async function endEpoch(
  progress: Progress,
  course: Course,
  context: Context,
  onFork?: OnFork,
): Promise<SearchTurn> {
  const { standing, previous, tried } = progress;
  const [epoch, step, current] = [progress.epochs + 1, progress.steps, standing.current.skill];
  const { leaks, splits, batches } = course;
  const isLast = epoch === batches.length;
  const boundary = {
    epoch,
    step,
    isLast,
    previous,
    current,
    train: splits.train,
    tried,
    meta: progress.meta,
  };
  const { meta, guided } = await crossEpoch({ ...boundary, leaks }, context);
  const after = (next: Standing, proposed: number): Progress => ({
    ...progress,
    epochs: epoch,
    batches: 0,
    proposed,
    standing: next,
    previous: next.current.skill,
    tried: [],
    meta,
  });
  if (guided === undefined) return { kind: "epoch", progress: after(standing, progress.proposed) };
  const proposed = progress.proposed + 1;
  const onRolled = onFork?.({
    rejected: after(standing, proposed),
    accepted: after(standingOn(guided, step, standing), proposed),
  });
  const decision = await decideCandidate(
    { candidate: guided, step, standing, ...proposals(progress, course, context), onRolled },
    context,
  );
  return { kind: "epoch", decision, progress: after(decision.standing, proposed) };
}

/** As if the gate took it: the incumbent is right, what the gate knows of it is not. */
const standingOn = (skill: Skill, step: number, { gate }: Standing): Standing => ({
  current: { skill, score: null },
  best: { skill, score: null, step },
  gate,
});

function proposals({ proposed }: Progress, course: Course, { settings }: Context) {
  const { original, splits, batches } = course;
  const planned = countTurns(course) + (settings.slowUpdate ? Math.max(batches.length - 1, 0) : 0);
  return { original, val: splits.val, proposals: planned, proposalsLeft: planned - proposed };
}

function scheduledBudget(step: number, total: number, { settings }: Context): number {
  const { schedule, editBudget: max, minEditBudget: min } = settings;
  return schedule === "autonomous" ? max : editBudget({ schedule, max, min, step, total });
}
