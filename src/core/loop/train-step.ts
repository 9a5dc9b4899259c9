import type { Context } from "../context.ts";
import type { Place, Stage } from "../place.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import type { EditReport } from "../skill/apply-edits.ts";
import type { Patch, RawPatch } from "../skill/edit.ts";
import { shortIdentity, skillIdentity } from "../skill/hash.ts";
import type { StepRecord } from "../step-record.ts";
import type { Skill } from "../skill/skill.ts";
import { type MergedPatch, aggregate } from "../stages/aggregate.ts";
import { checkReplies, unusableReplies } from "../measure/check-replies.ts";
import { chooseBudget } from "../stages/choose-budget.ts";
import { guardEdits } from "../stages/guard-edits.ts";
import { decideCandidate } from "./decide.ts";
import type { GateDecision } from "./decision.ts";
import { type TriedStep, contractSection, contractsOf } from "../stages/optimizer-text.ts";
import { checkPendingShare } from "../measure/pending-share.ts";
import { allPatches } from "../stages/reflect.ts";
import type { Rolled, RolloutPlan } from "../stages/rollout.ts";
import { select } from "../stages/select.ts";
import type { Standing } from "./standing.ts";
import { study } from "../stages/study.ts";
import { timed } from "../stages/timed.ts";
import { writeCandidate } from "../stages/write-candidate.ts";
import type { Task } from "../tasks/task.ts";

export interface StepInput {
  readonly step: number;
  readonly epoch: number;
  readonly original: Skill;
  readonly standing: Standing;
  readonly batch: readonly Task[];
  readonly val: readonly Task[];
  /** Edits that an analyst may propose, and that the step applies unless the optimizer chooses (`autonomous`). */
  readonly budget: number;
  readonly tried: readonly TriedStep[];
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
  readonly leaks: LeakIndex;
  readonly proposals: number;
  readonly proposalsLeft: number;
  /** A candidate goes to the gate, whose results can be heard; `ifRejected` is what the next steps are told of it then. */
  readonly onCandidate?: (candidate: Skill, ifRejected: TriedStep) => RolloutPlan["onRolled"];
}

/** Everything one step saw and did. */
export interface StepOutcome extends GateDecision {
  readonly step: number;
  readonly epoch: number;
  /** Edits that the step was allowed to apply. */
  readonly budget: number;
  readonly rolled: readonly Rolled[];
  readonly patches: readonly RawPatch[];
  readonly merged: MergedPatch;
  readonly selected: Patch;
  readonly reports: readonly EditReport[];
  readonly candidate?: Skill;
  readonly tried: TriedStep;
}

/** One step: rollout → reflect → aggregate → select → update → gate. */
export async function trainStep(input: StepInput, context: Context): Promise<StepOutcome> {
  const { step, epoch, batch, budget: most, tried, meta, standing } = input;
  const incumbent = standing.current.skill;
  const at = (stage: Stage): Place => ({ role: "optimizer", step, stage });

  const { rolled, sides } = await study(
    { step, epoch, incumbent, batch, budget: most, tried, meta },
    context,
  );
  if (context.settings.gate === "off") checkReplies(rolled, context);
  checkPendingShare(rolled, "rollout", context.settings);

  const contracts = contractSection(batch);
  const guard = { skill: incumbent, leaks: input.leaks, contracts: contractsOf(batch) };
  const aggregateInput = { skill: incumbent, sides, budget: most, contracts, meta, place: at("aggregate") };
  const merged = await timed(
    "aggregate",
    step,
    // how many merges depends on what the analysts will say
    0,
    () => aggregate(aggregateInput, context),
    context,
  );
  const patches = await allPatches(sides);
  const unusable = patches.flatMap((patch) => patch.unusable ?? []);
  const isUnheard = unusable.length > 0 && unusable.length === patches.length;
  if (isUnheard && (step === 1 || unusable.length > 1 || tried.at(-1)?.isUnheard === true))
    throw unusableReplies("optimizer", unusable, unusable.length, context);
  const { kept, refused } = guardEdits(merged.edits, guard);
  const pool = { ...merged, edits: kept };

  const budget = await stepBudget(input, pool, rolled, context);
  const selected = await timed(
    "select",
    step,
    kept.length,
    () => select(incumbent, pool, budget, meta, at("select"), context),
    context,
  );
  const candidateInput = { incumbent, edits: selected.edits, patches, contracts, guard, place: at("update") };
  const written = await timed(
    "update",
    step,
    selected.edits.length,
    () => writeCandidate(candidateInput, context),
    context,
  );

  const { candidate, edits } = written;
  const reports = [...written.reports, ...refused.map((one) => one.report)];
  const seen = { step, epoch, budget, rolled, patches, merged, selected: { ...selected, edits }, reports };
  const patterns = patches.filter((patch) => patch.source === "failure").flatMap((patch) => patch.patterns);
  if (skillIdentity(candidate) === skillIdentity(incumbent)) {
    const reason =
      merged.edits.length === 0
        ? noEdits(unusable.length, patches.length)
        : (written.refused ?? skipReason(kept.length, selected.edits.length));
    return report(
      {
        ...seen,
        action: "skip",
        reason,
        standing,
        tried: { step, patterns, rejected: [], ...(isUnheard ? { isUnheard } : {}) },
      },
      context,
    );
  }
  const { original, val, proposals, proposalsLeft } = input;
  const onRolled = input.onCandidate?.(candidate, { step, patterns, rejected: edits });
  const decision = await decideCandidate(
    { candidate, step, original, standing, val, proposals, proposalsLeft, onRolled },
    context,
  );
  const rejected = decision.action === "reject" ? edits : [];
  return report({ ...seen, ...decision, candidate, tried: { step, patterns, rejected } }, context);
}

function noEdits(unusable: number, analysts: number): string {
  if (unusable === 0) return "no edit was proposed";
  if (unusable === analysts) return "no reply of the optimizer could be used";
  return `no edit was proposed; ${unusable} of ${analysts} replies of the optimizer could not be used`;
}

function skipReason(kept: number, selected: number): string {
  if (kept === 0) return "every edit was refused";
  return selected === 0 ? "the optimizer chose to apply none of the edits" : "no edit could be applied";
}

/** How many edits this step applies: as scheduled, all of them (`full-rewrite`), or what the optimizer chooses. */
async function stepBudget(
  { step, standing, budget, tried, meta }: StepInput,
  pool: MergedPatch,
  rolled: readonly Rolled[],
  context: Context,
): Promise<number> {
  const { updateMode, schedule } = context.settings;
  if (updateMode === "full-rewrite") return pool.edits.length;
  if (schedule !== "autonomous") return budget;
  const scored = rolled.flatMap(({ outcome }) => (outcome.kind === "scored" ? [outcome.hard] : []));
  const solved = scored.filter((hard) => hard >= 1).length / Math.max(scored.length, 1);
  const place: Place = { role: "optimizer", step, stage: "select" };
  return chooseBudget({ skill: standing.current.skill, merged: pool, solved, tried, meta, place }, context);
}

function report(outcome: StepOutcome, { emit }: Context): StepOutcome {
  const edits = outcome.reports.filter((edit) => edit.applied).length;
  const refused = outcome.reports.length - edits;
  emit({ type: "step-end", ...recordStep(outcome), edits, refused });
  return outcome;
}

export function recordStep(outcome: StepOutcome): StepRecord {
  const { step, epoch, budget, action, reason, score = null, standing, evidence = null } = outcome;
  const { current, best } = standing;
  return {
    step,
    epoch,
    budget,
    action,
    reason,
    score,
    evidence,
    current: { score: current.score, hash: shortIdentity(current.skill) },
    best: { score: best.score, step: best.step, hash: shortIdentity(best.skill) },
  };
}
