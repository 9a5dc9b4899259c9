import { join } from "node:path";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Json } from "../../core/json.ts";
import type { Cost } from "../../core/cost.ts";
import type { Role } from "../../core/ports/model.ts";
import { fittingTasks } from "../../core/measure/check-replies.ts";
import { estimateEvaluation } from "../../core/measure/estimate-evaluation.ts";
import { type Evaluation, measureSkill } from "../../core/measure/evaluate.ts";
import { checkFirstReplies } from "../../core/measure/first-replies.ts";
import type { SplitName, Task } from "../../core/tasks/task.ts";
import { type TriggerFigures, countTriggers } from "../../core/triggers/trigger-figures.ts";
import { unusableText } from "../../report/unusable-replies.ts";
import {
  type PricedCost,
  type Summary,
  configArtifacts,
  evaluationFiles,
  priceCosts,
} from "../reports/artifacts.ts";
import { calibrateFirst, calledRoles } from "../session/calibrate-judge.ts";
import { preflight } from "../session/preflight.ts";
import { runId } from "../session/run-id.ts";
import { type RunOptions, runInSession } from "../session/run-in-session.ts";
import { startEvent } from "../session/start-event.ts";

import { refuseUnknownPrices } from "./train-run.ts";

export interface EvalSummary {
  readonly run: string;
  readonly split: SplitName;
  readonly tasks: number;
  readonly pending: number;
  readonly hard: number | null;
  readonly soft: number | null;
  /** Where the hard score of tasks like these lies, with 95 % certainty; missing while results are. */
  readonly interval?: { readonly low: number; readonly high: number };
  /** Tasks of the split that were left out: their prompts are too long for the model. */
  readonly tooLong?: number;
  /** Replies that could not be used; missing where all could. */
  readonly replies?: Summary["replies"];
  /** On the description track. */
  readonly triggers?: TriggerFigures;
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

export interface EvalRun {
  readonly id: string;
  readonly folder: string;
  readonly summary: EvalSummary;
  readonly evaluation: Evaluation;
  /** Everything this run has booked, failed and lost calls included. */
  readonly spent: Cost;
  /** The run had finished before; nothing was bought now. */
  readonly finishedBefore: boolean;
}

/** Measures, or goes on measuring, a skill on one split, one trial per task. */
export async function evalRun(given: Resolved, split: SplitName, options: RunOptions): Promise<EvalRun> {
  const tasks = given.splits[split];
  const none = { train: [], val: [], test: [] };
  // only what is measured, and who is measured, belongs to the run's identity
  const models = { ...given.models, optimizer: given.models.target };
  const resolved: Resolved = { ...given, models, splits: { ...none, [split]: tasks } };
  refuseUnknownPrices(resolved, ["target"]);
  const run = runId("eval", resolved);
  const folder = resolved.out ?? join(resolved.journalDir, "runs", run);
  return runInSession({ run, folder, resolved }, options, async (session, write) => {
    const { context, spend, finishedBefore } = session;
    const { skill, environment } = resolved;
    context.emit(startEvent({ command: "eval", roles: ["target"], folder }, resolved, session));
    await write(configArtifacts(run, resolved));
    await environment.setup?.();
    await preflight(calledRoles(["target"], resolved), context, resolved);
    await calibrateFirst(resolved, context);
    const place = { role: "target", step: 0, stage: "baseline" } as const;
    const draw = { purpose: "baseline", trial: 0 } as const;
    await checkFirstReplies(
      skill,
      tasks.map((task) => ({ task, split, draw, place })),
      context,
    );
    const measure = (some: readonly Task[]) => measureSkill(skill, split, some, draw, place, context);
    const whole = await measure(tasks);
    const fitting = fittingTasks(whole.rolled);
    const evaluation = fitting.length < tasks.length ? await measure(fitting) : whole;
    const summary: EvalSummary = {
      ...summarizeEval(run, split, evaluation, session.costByRole()),
      ...(fitting.length < tasks.length ? { tooLong: tasks.length - fitting.length } : {}),
      ...session.unusable(),
      ...(resolved.settings.track === "description" ? { triggers: countTriggers(evaluation.rolled) } : {}),
    };
    await write({
      ...evaluationFiles(`${split}_eval`, evaluation),
      "summary.json": `${JSON.stringify(summary, null, 2)}\n`,
    });
    context.emit({
      type: "run-end",
      status: "done",
      message: evalSentence(summary),
      summary: summary as unknown as Json,
      cost: spend.spent(),
    });
    return { id: run, folder, summary, evaluation, spent: spend.spent(), finishedBefore };
  });
}

function summarizeEval(
  run: string,
  split: SplitName,
  evaluation: Evaluation,
  costs: Readonly<Partial<Record<Role, Cost>>>,
): EvalSummary {
  const { rolled, pending, score } = evaluation;
  const { hard = null, soft = null } = score ?? {};
  const estimate = estimateEvaluation(evaluation);
  const interval = estimate === null ? {} : { interval: { low: estimate.low, high: estimate.high } };
  return { run, split, tasks: rolled.length, pending, hard, soft, ...interval, cost: priceCosts(costs) };
}

function evalSentence({
  split,
  tasks,
  pending,
  hard,
  soft,
  interval,
  tooLong,
  replies = [],
}: EvalSummary): string {
  if (hard === null || soft === null)
    return `No score: ${pending} of ${tasks} results on ${split} are missing.`;
  const percent = (score: number) => `${(100 * score).toFixed(1)} %`;
  const range =
    interval === undefined ? "" : `95 % interval ${percent(interval.low)} to ${percent(interval.high)}, `;
  const sentences = [
    `${percent(hard)} of ${tasks} ${split} tasks pass (${range}partial credit ${percent(soft)}), one trial each.`,
    ...(tooLong === undefined
      ? []
      : [`${tooLong} more ${tooLong === 1 ? "is" : "are"} too long for the model and left out.`]),
    ...(replies.length === 0 ? [] : [`${unusableText(replies)}.`]),
  ];
  return sentences.join(" ");
}
