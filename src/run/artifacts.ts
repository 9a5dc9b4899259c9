import { join } from "node:path";
import type { Resolved } from "../config/resolved.ts";
import { addCost, formatUsd, noCost } from "../core/spend.ts";
import type { Cost } from "../core/ports/executor.ts";
import type { Role } from "../core/ports/model.ts";
import { skillHash, skillIdentity } from "../core/skill/hash.ts";
import { type Skill, mainText } from "../core/skill/skill.ts";
import type { Evaluation } from "../core/stages/evaluate.ts";
import type { Rolled } from "../core/stages/rollout.ts";
import { taskHash } from "../core/tasks/task-hash.ts";
import type { StepRecord } from "../core/train-step.ts";
import type { TrainResult } from "../core/train.ts";
import { writeFileAtomic } from "./atomic-file.ts";

/** Files of a run as path → text: pure functions of settings, results and seed; no instants, hosts or absolute paths. */
export type Artifacts = Readonly<Record<string, string>>;

export async function writeArtifacts(folder: string, artifacts: Artifacts): Promise<void> {
  for (const [path, text] of Object.entries(artifacts)) await writeFileAtomic(join(folder, path), text);
}

export function configArtifacts(
  run: string,
  { settings, models, environment, skill, splits }: Resolved,
): Artifacts {
  const manifest = Object.fromEntries(
    Object.entries(splits).map(([name, tasks]) => [
      name,
      tasks.map((task) => ({ id: task.id, hash: taskHash(task) })),
    ]),
  );
  return {
    "config.json": json({
      run,
      settings,
      models: { target: models.target, optimizer: models.optimizer },
      environment: { name: environment.name, version: environment.version },
      skill: { main: skill.main, hash: skillIdentity(skill) },
      splits: manifest,
    }),
    ...skillFiles("skills/skill_v0000", skill),
  };
}

export function stepArtifacts(record: StepRecord, snapshots: boolean): Artifacts {
  const folder = `steps/step_${String(record.step - 1).padStart(4, "0")}`;
  const { step, epoch, budget, action, reason, score, standing } = record;
  return {
    [`${folder}/rollout_results.json`]: json(record.rolled.map(rolledRow)),
    [`${folder}/raw_patches.json`]: json(record.patches),
    [`${folder}/merged_patch.json`]: json(record.merged),
    [`${folder}/ranked_patch.json`]: json(record.selected),
    [`${folder}/edit_apply_report.json`]: json(record.reports),
    ...(record.candidate === undefined ? {} : skillFiles(`${folder}/candidate_skill`, record.candidate)),
    ...(record.evaluation === undefined
      ? {}
      : evaluationFiles(`${folder}/selection_eval`, record.evaluation)),
    [`${folder}/step_record.json`]: json({
      step,
      epoch,
      budget,
      action,
      reason,
      score: score ?? null,
      current: { score: standing.current.score, hash: skillHash(mainText(standing.current.skill)) },
      best: { ...standing.best, skill: undefined, hash: skillHash(mainText(standing.best.skill)) },
    }),
    ...(snapshots
      ? skillFiles(`skills/skill_v${String(step).padStart(4, "0")}`, standing.current.skill)
      : {}),
  };
}

export interface Summary {
  readonly run: string;
  readonly verdict: "changed" | "kept-original";
  /** What the gate was: `strict` compares two single noisy means and proves nothing by itself. */
  readonly gate: string;
  readonly steps: number;
  readonly accepted: number;
  readonly best: { readonly step: number; readonly hash: string };
  readonly val: { readonly baseline: number; readonly best: number };
  readonly test?: {
    readonly baseline: ScorePair | null;
    readonly best: ScorePair | null;
    readonly tasks: number;
  };
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

interface ScorePair {
  readonly hard: number;
  readonly soft: number;
}

export function summarize(
  run: string,
  result: TrainResult,
  costs: Readonly<Partial<Record<Role, Cost>>>,
  gate: string,
): Summary {
  const { best, baselineScore, steps, test } = result;
  return {
    run,
    verdict: best.step === 0 ? "kept-original" : "changed",
    gate,
    steps: steps.length,
    accepted: steps.filter(({ action }) => action.startsWith("accept")).length,
    best: { step: best.step, hash: skillHash(mainText(best.skill)) },
    val: { baseline: baselineScore, best: best.score },
    ...(test === undefined
      ? {}
      : {
          test: {
            baseline: test.baseline.score ?? null,
            best: test.best.score ?? null,
            tasks: test.best.rolled.length,
          },
        }),
    cost: priceCosts(costs),
  };
}

export type PricedCost = Cost & { readonly usd: string };

/** Costs by role with their sum, and each as people read it. */
export function priceCosts(
  costs: Readonly<Partial<Record<Role, Cost>>>,
): Readonly<Partial<Record<Role | "total", PricedCost>>> {
  const withUsd = (cost: Cost): PricedCost => ({ ...cost, usd: formatUsd(cost.nanoUsd) });
  const roles = Object.entries(costs).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...Object.fromEntries(roles.map(([role, cost]) => [role, withUsd(cost)])),
    total: withUsd(roles.map(([, cost]) => cost).reduce(addCost, noCost)),
  };
}

export function resultArtifacts(result: TrainResult, summary: Summary): Artifacts {
  return {
    ...skillFiles("best_skill", result.best.skill),
    ...skillFiles("current_skill", result.current.skill),
    "history.json": json(result.steps),
    "summary.json": json(summary),
    ...evaluationFiles("selection_eval_baseline", result.baseline),
    ...(result.test === undefined
      ? {}
      : {
          ...evaluationFiles("test_eval_baseline", result.test.baseline),
          ...evaluationFiles("test_eval_best", result.test.best),
        }),
  };
}

export function evaluationFiles(folder: string, evaluation: Evaluation): Artifacts {
  const { score, pending, rolled } = evaluation;
  return {
    [`${folder}/results.json`]: json({
      tasks: rolled.length,
      pending,
      hard: score?.hard ?? null,
      soft: score?.soft ?? null,
      results: rolled.map(rolledRow),
    }),
  };
}

function rolledRow({ task, outcome }: Rolled) {
  if (outcome.kind === "pending") return { id: task.id, pending: outcome.cause.class };
  const { hard, soft, feedback, conversation, extras } = outcome;
  return { id: task.id, hard, soft, feedback, conversation, ...(extras === undefined ? {} : { extras }) };
}

/** A skill of one file is a file, `best_skill.md`; one of several is a folder, `best_skill/`. */
function skillFiles(name: string, skill: Skill): Artifacts {
  const paths = Object.keys(skill.files).toSorted();
  if (paths.length === 1) return { [`${name}.md`]: mainText(skill) };
  return Object.fromEntries(paths.map((path) => [`${name}/${path}`, skill.files[path] ?? ""]));
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
