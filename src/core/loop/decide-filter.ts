import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { addBlock, beginCandidate, filterVerdict, incumbentScore, nextBlock } from "../gate/filter/filter.ts";
import { type Judging, probeTasks, startFilter } from "../gate/filter/filter-state.ts";
import { gateScore } from "../gate/score.ts";
import { isHandoff } from "../work/handoff.ts";
import { seededRandom } from "../random.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";
import { fittingTasks } from "../measure/check-replies.ts";
import { measureSkill, requireScore, scoreOf } from "../measure/evaluate.ts";
import type { GateDecisionInput, GateDecision, StartedGate } from "./decision.ts";
import { percent, points } from "../measure/percent.ts";
import { type Rolled, type RolloutPlan, rollout } from "../stages/rollout.ts";
import type { GateKnowledge } from "./standing.ts";

/** The original on all of val, and a few tasks a second time: is this target noisy at all? */
export async function startFilterGate(
  skill: Skill,
  val: readonly Task[],
  context: Context,
): Promise<StartedGate> {
  const place: Place = { role: "target", step: 0, stage: "baseline" };
  const again = probeTasks(val.length).flatMap((index) => val[index] ?? []);
  const [baseline, probe] = await Promise.all([
    measureSkill(skill, "val", val, { purpose: "gate", trial: 0 }, place, context),
    Promise.all(
      rollout(skill, again, { split: "val", draw: { purpose: "probe", trial: 0 }, place }, context),
    ),
  ]);
  const fitting = fittingTasks([...baseline.rolled, ...probe]);
  if (fitting.length < val.length) return startFilterGate(skill, fitting, context);
  const seedScores = scores(baseline.rolled, context);
  const probeScores = scores(probe, context);
  requireScore(baseline, context);
  if (probeScores.includes(null)) requireScore({ rolled: probe, pending: 1 }, context);
  const state = startFilter({ seedScores: seedScores.map(Number), probeScores: probeScores.map(Number) });
  const measured = { skill, score: incumbentScore(state) };
  // the probe is extra: in a short run it would leave no rollout for the only candidate
  const gate: GateKnowledge = { kind: "filter", state, spent: val.length };
  return { val, baseline, standing: { current: measured, best: { ...measured, step: 0 }, gate } };
}

/** The search gate: rolls the candidate block by block until one more pass is not worth its rollouts. */
export async function decideByFilter(
  { candidate, step, original, standing, val, proposals, proposalsLeft, onRolled }: GateDecisionInput,
  gate: GateKnowledge & { readonly kind: "filter" },
  context: Context,
): Promise<GateDecision> {
  const rolled: Rolled[] = [];
  const budget = (proposals + 1) * val.length;
  let judging = beginCandidate(gate.state, {
    rolloutsLeft: Math.max(budget - gate.spent, 0),
    proposalsLeft,
    // the order belongs to the candidate: proposed again, it meets the same draws
    random: seededRandom("gate-order", context.settings.seed, skillIdentity(candidate)),
  });
  const place: Place = { role: "target", step, stage: "evaluate" };
  const asksByHand = isHandoff(context.models.target) || isHandoff(context.models.judge);
  context.emit({ type: "stage-start", step, stage: "evaluate", total: judging.limit });
  const started = context.clock.now();
  for (let block = nextBlock(judging); block.length > 0; block = nextBlock(judging)) {
    if (asksByHand) askAhead(candidate, judging, val, place, context);
    const results = await rollBlock(candidate, block, judging, val, { place, onRolled }, context);
    rolled.push(...results);
    judging = addBlock(judging, scores(results, context));
  }
  const pending = rolled.filter(({ outcome }) => outcome.kind === "pending").length;
  const ms = context.clock.now() - started;
  context.emit({ type: "stage-end", step, stage: "evaluate", total: rolled.length, pending, ms });

  const verdict = filterVerdict(judging);
  const evaluation = { rolled, pending };
  if (verdict === undefined || verdict.action === "undecided" || pending > 0) {
    const reason =
      pending > 0
        ? `${pending} results are missing, so the candidate was not judged`
        : "no val rollout was left to judge it";
    return { action: "undecided", reason, standing, evaluation };
  }
  const { action, estimate, sd, rollouts, state } = verdict;
  const knowledge: GateKnowledge = { kind: "filter", state, spent: gate.spent + rollouts };
  const evidence = { rollouts, estimate, sd };
  const score = incumbentScore(state);
  const effect =
    state.kind === "noisy"
      ? `expected effect ${points(estimate)} (± ${(100 * sd).toFixed(1)}) after ${rollouts} rollouts`
      : action === "reject"
        ? `no better on ${rollouts} of ${val.length} tasks`
        : `${points(estimate)} on a target that repeats itself`;
  if (action === "reject") {
    const current = { ...standing.current, score };
    const best = { ...standing.best, score };
    return {
      action,
      reason: `${effect}: not kept`,
      standing: { current, best, gate: knowledge },
      evaluation,
      evidence,
    };
  }
  const skill = action === "accept" ? candidate : original;
  const measured = { skill, score };
  return {
    action: action === "accept" ? "accept_new_best" : "return_to_original",
    reason:
      action === "accept"
        ? `${effect}: kept, val now about ${percent(score)}`
        : `${effect}; the incumbent fell below the original, which returns`,
    score,
    standing: {
      current: measured,
      best: { ...measured, step: action === "accept" ? step : 0 },
      gate: knowledge,
    },
    evaluation,
    evidence,
  };
}

/** Begins all of the current pass: the blocks of one pass are decided one after another, but are one round of questions. */
function askAhead(
  candidate: Skill,
  { scores: done, order, limit }: Judging,
  val: readonly Task[],
  place: Place,
  context: Context,
): void {
  const trial = Math.floor(done.length / order.length);
  const tasks = order.slice(0, limit - trial * order.length).flatMap((index) => val[index] ?? []);
  void rollout(candidate, tasks, { split: "val", draw: { purpose: "gate", trial }, place }, context);
}

/** A block may cross from one pass into the next: the pass is the trial of the draw. */
async function rollBlock(
  candidate: Skill,
  block: readonly number[],
  judging: Judging,
  val: readonly Task[],
  plan: Pick<RolloutPlan, "place" | "onRolled">,
  context: Context,
): Promise<readonly Rolled[]> {
  const passes = new Map<number, Task[]>();
  block.forEach((index, nth) => {
    const trial = Math.floor((judging.scores.length + nth) / judging.order.length);
    const task = val[index];
    if (task !== undefined) passes.set(trial, [...(passes.get(trial) ?? []), task]);
  });
  const rolling = [...passes].flatMap(([trial, tasks]) =>
    rollout(candidate, tasks, { split: "val", draw: { purpose: "gate", trial }, ...plan }, context),
  );
  return Promise.all(rolling);
}

function scores(rolled: readonly Rolled[], { settings }: Context): (number | null)[] {
  return rolled.map(({ outcome }) => {
    const score = scoreOf(outcome);
    return score === null ? null : gateScore(score, settings.metric, settings.mixedWeight);
  });
}
