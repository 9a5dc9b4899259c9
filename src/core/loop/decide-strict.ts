import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { orderForStop } from "../gate/order-for-stop.ts";
import { strictStop } from "../gate/strict-stop.ts";
import { strictGate } from "../gate/strict.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { fittingTasks } from "../measure/check-replies.ts";
import {
  type Evaluation,
  measureSkill,
  evaluateInBlocks,
  requireScore,
  gateScoreOf,
} from "../measure/evaluate.ts";
import type { GateDecision, GateInput, StartedGate } from "./decision.ts";
import { missingTasks } from "../measure/pending-share.ts";
import { percent } from "../measure/percent.ts";
import { listIds } from "../verdict-words.ts";
import type { GateKnowledge } from "./standing.ts";

/** Blocks that an evaluation is cut into when it may stop early. */
const blocks = 5;

export async function startStrictGate(
  skill: Skill,
  val: readonly Task[],
  context: Context,
): Promise<StartedGate> {
  const place: Place = { role: "target", step: 0, stage: "baseline" };
  const baseline = await measureSkill(skill, "val", val, { purpose: "gate", trial: 0 }, place, context);
  const fitting = fittingTasks(baseline.rolled);
  if (fitting.length < val.length) return startStrictGate(skill, fitting, context);
  const score = requireScore(baseline, context);
  const measured = { skill, score };
  return {
    val,
    baseline,
    standing: { current: measured, best: { ...measured, step: 0 }, gate: knowledge(baseline, context) },
  };
}

/** The paper's gate. Stops once the candidate can no longer win; an accepted one is finished: its score is the next bar. */
export async function decideStrictly(
  { candidate, step, standing, val }: GateInput,
  gate: GateKnowledge & { readonly kind: "strict" },
  context: Context,
): Promise<GateDecision> {
  const { metric, mixedWeight, stopEarly } = context.settings;
  const bar = standing.current.score ?? 0;
  const evaluation = await evaluateInBlocks(
    {
      skill: candidate,
      tasks: val,
      order: stopEarly ? orderForStop({ incumbent: gate.byTask }) : [...val.keys()],
      blockSize: stopEarly ? Math.ceil(val.length / blocks) : val.length,
      draw: { purpose: "gate", trial: 0 },
      place: { role: "target", step, stage: "evaluate" },
      isCertain: (scores) =>
        strictStop({ scores, weights: val.map((task) => task.weight ?? 1), metric, mixedWeight, bar }) ===
        "reject",
    },
    context,
  );
  const rollouts = evaluation.rolled.length;
  if (evaluation.stopped) {
    const reason = `after ${rollouts} of ${val.length} tasks it could no longer reach ${percent(bar)}`;
    return { action: "reject", reason, standing, evaluation, evidence: { rollouts } };
  }
  if (evaluation.score === undefined) {
    const tasks = missingTasks(evaluation.rolled);
    const reason = `${evaluation.pending} results are missing (tasks ${listIds(tasks)}), so the candidate was not judged`;
    return { action: "undecided", reason, standing, evaluation, evidence: { rollouts } };
  }
  const current = { skill: standing.current.skill, score: bar };
  const best = { ...standing.best, score: standing.best.score ?? 0 };
  const measured = { skill: candidate, step, ...evaluation.score };
  const verdict = strictGate({ candidate: measured, current, best, metric, mixedWeight });
  const accepted = verdict.action !== "reject";
  return {
    action: verdict.action,
    reason: `${percent(verdict.score)} on val against ${percent(bar)}: ${accepted ? "accepted" : "not better"}`,
    score: verdict.score,
    standing: {
      current: verdict.current,
      best: verdict.best,
      gate: accepted ? knowledge(evaluation, context, val) : gate,
    },
    evaluation,
    evidence: { rollouts },
  };
}

/** Scores by task, in the order of val. */
function knowledge(
  evaluation: Evaluation,
  { settings }: Context,
  val: readonly Task[] = evaluation.rolled.map(({ task }) => task),
): GateKnowledge {
  const byId = new Map(
    evaluation.rolled.map(({ task, outcome }) => [task.id, gateScoreOf(outcome, settings)]),
  );
  return { kind: "strict", byTask: val.map((task) => byId.get(task.id) ?? 0) };
}
