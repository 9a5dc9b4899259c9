import { around, estimateScore } from "../core/gate/estimate-score.ts";
import { z95 } from "../core/shown-level.ts";
import type { Estimate, GatePair, GateReport } from "./model.ts";
import type { ResultSet, StepFolder } from "./run-folder.ts";
import { type ScoreWeights, type TaskMeans, taskMeans } from "./task-means.ts";

/** The data for judging a candidate. */
export interface GateGround {
  /** Ids of the val tasks. */
  readonly val: readonly string[];
  /** The gate's decisions on the candidates, in order. */
  readonly steps: readonly Pick<StepFolder, "step" | "action">[];
  readonly results: readonly ResultSet[];
  readonly scoring: ScoreWeights;
}

/** A candidate's results at the gate, task by task: first the tasks it asked, in order, then the others. */
export function gateReport(
  step: Pick<StepFolder, "step" | "evidence">,
  ground: GateGround,
): GateReport | undefined {
  const set = evaluationOf(step, ground);
  if (set === undefined) return undefined;
  const { val, scoring } = ground;
  const rules = step.evidence?.rules;
  if (rules !== undefined)
    return { evidence: null, asked: new Set(set.ids).size, of: val.length, pairs: [], rules };
  const incumbent = incumbentMeans(step.step, ground);
  const candidate = taskMeans([set], scoring);
  const asked = [...new Set(set.ids)];
  const refs = new Map(set.ids.map((id, row) => [id, `${set.name}#${row}`]));
  const pair = (task: string): GatePair => {
    const [before, after] = [incumbent.get(task) ?? null, candidate.get(task) ?? null];
    const ref = refs.get(task);
    return {
      task,
      incumbent: before,
      candidate: after,
      outcome: outcomeOf(before, after),
      ref,
    };
  };
  const rest = val.filter((id) => !refs.has(id));
  const p = step.evidence?.p;
  return {
    evidence: step.evidence,
    p,
    asked: asked.length,
    of: Math.max(val.length, asked.length),
    pairs: [...asked, ...rest].map(pair),
  };
}

function outcomeOf(before: number | null, after: number | null): GatePair["outcome"] {
  if (before === null || after === null) return "open";
  return after > before ? "win" : after < before ? "loss" : "tie";
}

/**
 * A candidate's estimated score on val. Uses the gate's own expectation if it has one; otherwise the mean over val, in
 * which tasks that weren't asked count as they did for the incumbent.
 */
export function estimateCandidate(step: StepFolder, ground: GateGround): Estimate | undefined {
  const { evidence, score, current, action } = step;
  // each rollout had its own rules, so no candidate was measured
  if (evidence?.rules !== undefined) return undefined;
  const accepted = action.startsWith("accept");
  if (evidence?.estimate !== undefined && evidence.sd !== undefined && current.score !== null) {
    const value = accepted ? (score ?? current.score) : current.score + evidence.estimate;
    const set = evaluationOf(step, ground);
    const asked = set === undefined ? evidence.rollouts : new Set(set.ids).size;
    if (evidence.sd > 0) return around(value, z95 * evidence.sd, asked);
  }
  const set = evaluationOf(step, ground);
  if (set === undefined) return undefined;
  const candidate = taskMeans([set], ground.scoring);
  if (candidate.size === 0) return undefined;
  const missing = ground.val.filter((id) => !candidate.has(id));
  if (missing.length === 0) return estimateScore([...candidate.values()]);
  const incumbent = incumbentMeans(step.step, ground);
  const carried = missing.flatMap((id) => incumbent.get(id) ?? []);
  const estimate = estimateScore([...candidate.values(), ...carried]);
  return estimate === undefined ? undefined : { ...estimate, tasks: candidate.size };
}

/** The latest known score of each val task under an incumbent before a step. */
function incumbentMeans(step: number, { steps, results, scoring }: GateGround): TaskMeans {
  const baseline = results.filter(({ name }) => name === "selection_eval_baseline");
  const original = taskMeans(baseline, scoring);
  let known = new Map(original);
  for (const earlier of steps) {
    if (earlier.step >= step) break;
    if (earlier.action === "return_to_original") known = new Map(original);
    if (!earlier.action.startsWith("accept")) continue;
    const set = results.find((one) => isEvaluationOf(earlier.step, one));
    if (set !== undefined) for (const [id, mean] of taskMeans([set], scoring)) known.set(id, mean);
  }
  return known;
}

const evaluationOf = ({ step }: { readonly step: number }, { results }: GateGround): ResultSet | undefined =>
  results.find((set) => isEvaluationOf(step, set));

const isEvaluationOf = (step: number, set: ResultSet): boolean =>
  step > 0 && set.step === step && set.stage === "evaluate";
