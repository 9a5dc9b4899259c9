import type { GateEvidence } from "../step-record.ts";
import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { claimVerdict } from "../gate/claim/claim-verdict.ts";
import { type ClaimPair, isFinished } from "../gate/claim/claim-pair.ts";
import { earlyStop } from "../gate/filter/early-stop.ts";
import { orderForStop } from "../gate/filter/order-for-stop.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { claimPairs } from "../measure/claim-pairs.ts";
import { checkReplies, fittingTasks } from "../measure/check-replies.ts";
import { requireScore } from "../measure/evaluate.ts";
import type { GateDecisionInput, GateDecision, StartedGate } from "./decision.ts";
import { percent, points } from "../measure/percent.ts";
import { checkLostTasks } from "../measure/lost-tasks.ts";
import type { Rolled } from "../stages/rollout.ts";
import type { GateKnowledge } from "./standing.ts";
import { type Trials, rollTrials } from "../measure/trials.ts";

const blocks = 5;

type Paired = GateKnowledge & { readonly kind: "paired" };

export async function startPairedGate(
  skill: Skill,
  val: readonly Task[],
  context: Context,
): Promise<StartedGate> {
  const { arm, rolled } = await freshArm(skill, 0, val, context);
  checkReplies(rolled, context);
  const fitting = fittingTasks(rolled);
  if (fitting.length < val.length) return startPairedGate(skill, fitting, context);
  const pending = arm.scores.flat().filter((score) => score === null).length;
  if (pending > 0) requireScore({ rolled, pending }, context);
  const measured = { skill, score: weightedScore(arm.scores, val) };
  const gate: GateKnowledge = { kind: "paired", arm: arm.scores, acceptStep: 0 };
  return {
    val,
    baseline: { rolled, pending: 0 },
    standing: { current: measured, best: { ...measured, step: 0 }, gate },
  };
}

/** Fresh draws of an incumbent, taken after its acceptance, so that its luck is not the bar. */
async function freshArm(
  skill: Skill,
  acceptStep: number,
  val: readonly Task[],
  context: Context,
): Promise<{ readonly arm: Trials; readonly rolled: readonly Rolled[] }> {
  const place: Place = { role: "target", step: acceptStep, stage: "baseline" };
  const purpose = `incumbent@${acceptStep}` as const;
  const { trials } = context.settings;
  const arm = await rollTrials(skill, { split: "val", tasks: val, purpose, trials, place }, context);
  return { arm, rolled: arm.rolled.flat() };
}

/** Every accept is significant: an exact paired test at `alpha`, stopped as soon as its answer is certain. */
export async function decidePaired(
  input: GateDecisionInput,
  gate: Paired,
  context: Context,
): Promise<GateDecision> {
  const { candidate, step, standing, val, onRolled } = input;
  const { alpha, trials, stopEarly } = context.settings;
  const means = gate.arm.map((scores) => meanOf([scores]));
  const order = orderForStop({ incumbent: means });
  const blockSize = stopEarly ? Math.ceil(val.length / blocks) : val.length;
  const place: Place = { role: "target", step, stage: "evaluate" };
  const open = Array.from({ length: trials }, () => null);
  const pairs = [
    ...claimPairs(
      val,
      gate.arm,
      val.map(() => open),
    ),
  ];
  const rolled: Rolled[] = [];
  context.emit({ type: "stage-start", step, stage: "evaluate", total: val.length * trials });
  const started = context.clock.now();
  for (let at = 0; at < order.length && earlyStop(pairs, alpha) === "continue"; at += blockSize) {
    const block = order.slice(at, at + blockSize);
    const tasks = block.flatMap((index) => val[index] ?? []);
    const plan = { split: "val", tasks, purpose: "gate", trials, place, onRolled } as const;
    const arm = await rollTrials(candidate, plan, context);
    rolled.push(...arm.rolled.flat());
    block.forEach((index, nth) => {
      const pair = pairs[index];
      if (pair !== undefined) pairs[index] = { ...pair, candidate: arm.scores[nth] ?? open };
    });
  }
  const pending = rolled.filter(({ outcome }) => outcome.kind === "pending").length;
  const ms = context.clock.now() - started;
  context.emit({ type: "stage-end", step, stage: "evaluate", total: rolled.length, pending, ms });

  const stop = earlyStop(pairs, alpha);
  const finished = pairs.filter(isFinished);
  const claim = claimVerdict(finished.length === 0 ? [] : finished, { alpha });
  const { wins, losses, ties, p, difference } = claim;
  const evidence: GateEvidence = { rollouts: rolled.length, p, wins, losses, ties };
  const evaluation = { rolled, pending };
  const counted = `${wins} won, ${losses} lost, ${ties} tied; ${points(difference)}`;
  if (stop === "continue") {
    const reason = `${pending} results are missing and could change the verdict`;
    return { action: "undecided", reason, standing, evaluation, evidence };
  }
  if (stop === "reject") {
    const reason = `${counted} after ${finished.length} of ${val.length} tasks: not shown to be better at α = ${alpha}`;
    return { action: "reject", reason, standing, evaluation, evidence };
  }
  return accept(input, gate, pairs, { counted, p, evidence, evaluation }, context);
}

async function accept(
  { candidate, step, standing, val }: GateDecisionInput,
  gate: Paired,
  pairs: readonly ClaimPair[],
  shown: {
    readonly counted: string;
    readonly p: number;
    readonly evidence: GateEvidence;
    readonly evaluation: GateDecision["evaluation"] & object;
  },
  context: Context,
): Promise<GateDecision> {
  const tasks = val.map((task) => ({ task, split: "val" as const }));
  const lost = await checkLostTasks(
    { candidate, incumbent: standing.current.skill, tasks, pairs, step },
    context,
  );
  const evidence: GateEvidence = { ...shown.evidence, ...(lost.length === 0 ? {} : { lost }) };
  const blocking = lost.find(({ blocks: blocked }) => blocked);
  if (blocking !== undefined && context.settings.regressions === "block") {
    const reason = `${shown.counted}, but task ${blocking.task} was always passed and is now always failed`;
    return { action: "reject", reason, standing, evaluation: shown.evaluation, evidence };
  }
  const { arm } = await freshArm(candidate, step, val, context);
  const score = weightedScore(arm.scores, val);
  const measured = { skill: candidate, score };
  const isBest = score > (standing.best.score ?? 0);
  return {
    action: isBest ? "accept_new_best" : "accept",
    reason: `${shown.counted}, p = ${shown.p.toPrecision(2)}: accepted, val now ${percent(score)}`,
    score,
    standing: {
      current: measured,
      best: isBest ? { ...measured, step } : standing.best,
      gate: { ...gate, arm: arm.scores, acceptStep: step },
    },
    evaluation: shown.evaluation,
    evidence,
  };
}

/** The mean over tasks by weight. */
function weightedScore(scores: readonly (readonly (number | null)[])[], val: readonly Task[]): number {
  const weightOf = (index: number) => val[index]?.weight ?? 1;
  const total = scores.reduce((sum, _, index) => sum + weightOf(index), 0);
  return scores.reduce((sum, own, index) => sum + weightOf(index) * meanOf([own]), 0) / (total || 1);
}

function meanOf(scores: readonly (readonly (number | null)[])[]): number {
  const known = scores.flat().filter((score) => score !== null);
  return known.reduce((sum, score) => sum + score, 0) / Math.max(known.length, 1);
}
