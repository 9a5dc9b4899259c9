import type { Context } from "../context.ts";
import { orderForStop } from "../gate/order-for-stop.ts";
import { strictStop } from "../gate/strict-stop.ts";
import { strictGate } from "../gate/strict.ts";
import type { Task } from "../tasks/task.ts";
import { type Evaluation, evaluateInBlocks, gateScoreOf } from "../measure/evaluate.ts";
import { missingTasks } from "../measure/pending-share.ts";
import { percent } from "../measure/percent.ts";
import { listIds } from "../verdict-words.ts";
import type { Gate, GateDecision, GateInput } from "./gate.ts";

/** The number of blocks that an evaluation is split into if it may stop early. */
const blocks = 5;

/** The incumbent's gate score on each val task. */
type ByTask = readonly number[];

/** The paper's gate: only a strictly higher score is accepted. */
export const strict: Gate<ByTask> = {
  name: "strict",
  version: "1",
  start: ({ baseline, val }, context) => byTask(baseline, val, [], context),
  decide: decideStrictly,
};

/** Stops once the candidate can no longer win. An accepted one is measured in full, because its score is the next bar. */
async function decideStrictly(
  { candidate, step, standing, val }: GateInput<ByTask>,
  context: Context,
): Promise<GateDecision<ByTask>> {
  const { metric, mixedWeight, stopEarly } = context.settings;
  const bar = standing.current.score ?? 0;
  const evaluation = await evaluateInBlocks(
    {
      skill: candidate,
      tasks: val,
      order: stopEarly ? orderForStop(standing.known) : [...val.keys()],
      blockSize: stopEarly ? Math.ceil(val.length / blocks) : val.length,
      draw: { purpose: "gate", trial: 0 },
      place: { role: "target", step, stage: "evaluate" },
      incumbent: standing.known,
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
    const reason = `${evaluation.pending} results are missing (tasks ${listIds(tasks)}), so the candidate wasn't judged`;
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
      known: accepted ? byTask(evaluation, val, standing.known, context) : standing.known,
      ...(accepted && verdict.score >= 1
        ? { ended: "the skill solves every val task, so nothing can do better there" }
        : {}),
    },
    evaluation,
    evidence: { rollouts },
  };
}

/** The old score replaces a missing one. */
function byTask({ rolled }: Evaluation, val: readonly Task[], old: ByTask, { settings }: Context): ByTask {
  const byId = new Map(rolled.map(({ task, outcome }) => [task.id, gateScoreOf(outcome, settings)]));
  return val.map((task, at) => byId.get(task.id) ?? old[at] ?? 0);
}
