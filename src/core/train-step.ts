import type { Context, Place } from "./context.ts";
import type { Stage, StepAction } from "./events.ts";
import { strictGate } from "./gate/strict.ts";
import type { EditReport } from "./skill/apply-edits.ts";
import type { Patch, RawPatch } from "./skill/edit.ts";
import { skillIdentity } from "./skill/hash.ts";
import type { Skill } from "./skill/skill.ts";
import { type MergedPatch, aggregate } from "./stages/aggregate.ts";
import { type Evaluation, evaluate } from "./stages/evaluate.ts";
import { type TriedStep, contractSection } from "./stages/optimizer-text.ts";
import { checkPendingShare } from "./stages/pending-share.ts";
import { reflect } from "./stages/reflect.ts";
import { type Rolled, rollout } from "./stages/rollout.ts";
import { select } from "./stages/select.ts";
import { update } from "./stages/update.ts";
import type { Task } from "./tasks/task.ts";
import type { Standing } from "./train.ts";

export interface StepInput {
  readonly step: number;
  readonly epoch: number;
  readonly incumbent: Skill;
  readonly batch: readonly Task[];
  readonly val: readonly Task[];
  readonly budget: number;
  readonly tried: readonly TriedStep[];
  /** Scores of the incumbent; not needed before the gate. */
  readonly standing: Promise<Standing>;
}

/** Everything one step saw and did. */
export interface StepRecord {
  readonly step: number;
  readonly epoch: number;
  readonly budget: number;
  readonly rolled: readonly Rolled[];
  readonly patches: readonly RawPatch[];
  readonly merged: MergedPatch;
  readonly selected: Patch;
  readonly reports: readonly EditReport[];
  readonly candidate?: Skill;
  readonly evaluation?: Evaluation;
  readonly action: StepAction;
  readonly reason: string;
  readonly score?: number;
  readonly standing: Standing;
  readonly tried: TriedStep;
}

/** One step: rollout → reflect → aggregate → select → update → gate. */
export async function trainStep(input: StepInput, context: Context): Promise<StepRecord> {
  const { step, epoch, incumbent, batch, budget } = input;
  const at = (stage: Stage, role: Place["role"] = "optimizer"): Place => ({ role, step, stage });
  const stage = <T>(name: Stage, total: number, run: () => Promise<T>) =>
    timed(name, step, total, run, context);

  const draw = { purpose: "train", trial: epoch - 1 } as const;
  const rollouts = rollout(
    incumbent,
    batch,
    { split: "train", draw, place: at("rollout", "target") },
    context,
  );
  const rolling = stage("rollout", batch.length, () => Promise.all(rollouts));
  rolling.catch(() => {});
  const { rolled, patches } = await stage("reflect", 0, () =>
    reflect({ skill: incumbent, rollouts, budget, tried: input.tried, place: at("reflect") }, context),
  );
  await rolling;
  checkPendingShare(rolled, "rollout", context.settings);

  const contracts = contractSection(batch);
  const merged = await stage("aggregate", 0, () =>
    aggregate({ skill: incumbent, patches, budget, contracts, place: at("aggregate") }, context),
  );
  const selected = await stage("select", merged.edits.length, () =>
    select(incumbent, merged, budget, at("select"), context),
  );
  const { candidate, edits, reports } = await stage("update", selected.edits.length, () =>
    update(incumbent, selected.edits, at("update"), context),
  );

  const seen = { step, epoch, budget, rolled, patches, merged, selected: { ...selected, edits }, reports };
  const patterns = patches.filter((patch) => patch.source === "failure").flatMap((patch) => patch.patterns);
  if (skillIdentity(candidate) === skillIdentity(incumbent)) {
    const reason = selected.edits.length === 0 ? "no edit was proposed" : "no edit could be applied";
    const standing = await input.standing;
    return report(
      { ...seen, action: "skip", reason, standing, tried: { step, patterns, rejected: [] } },
      context,
    );
  }

  const evaluation = await evaluate(candidate, "val", input.val, "gate", at("evaluate", "target"), context);
  const verdict = decide(candidate, evaluation, await input.standing, step, context);
  const rejected = verdict.action === "reject" ? selected.edits : [];
  return report({ ...seen, candidate, evaluation, ...verdict, tried: { step, patterns, rejected } }, context);
}

type Verdict = Pick<StepRecord, "action" | "reason" | "score" | "standing">;

function decide(
  candidate: Skill,
  evaluation: Evaluation,
  standing: Standing,
  step: number,
  { settings }: Context,
): Verdict {
  if (evaluation.score === undefined) {
    const reason = `${evaluation.pending} results are missing, so the candidate was not judged`;
    return { action: "undecided", reason, standing };
  }
  const { metric, mixedWeight } = settings;
  const measured = { skill: candidate, step, ...evaluation.score };
  const { action, score, current, best } = strictGate({
    candidate: measured,
    ...standing,
    metric,
    mixedWeight,
  });
  const word = action === "reject" ? "not better" : "accepted";
  const reason = `${percent(score)} on val against ${percent(standing.current.score)}: ${word}`;
  return { action, reason, score, standing: { current, best } };
}

const percent = (score: number): string => `${(100 * score).toFixed(1)} %`;

async function timed<T>(
  stage: Stage,
  step: number,
  total: number,
  run: () => Promise<T>,
  { clock, emit }: Context,
): Promise<T> {
  emit({ type: "stage-start", step, stage, total });
  const started = clock.now();
  const result = await run();
  emit({ type: "stage-end", step, stage, total, pending: 0, ms: clock.now() - started });
  return result;
}

function report(record: StepRecord, { emit }: Context): StepRecord {
  const { step, action, reason, reports, standing, score } = record;
  const applied = reports.filter((edit) => edit.applied).length;
  emit({
    type: "step-end",
    step,
    action,
    reason,
    edits: applied,
    refused: reports.length - applied,
    ...(score === undefined ? {} : { score }),
    incumbent: standing.current.score,
    best: standing.best.score,
  });
  return record;
}
