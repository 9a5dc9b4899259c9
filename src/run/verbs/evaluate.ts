import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { fittingTasks } from "../../core/measure/check-replies.ts";
import { estimateRate, rateEvidence, rateScore } from "../../core/measure/estimate-evaluation.ts";
import type { RateEvidence } from "../../core/evidence.ts";
import { type Evaluation, measureSkill } from "../../core/measure/evaluate.ts";
import { missingTasks } from "../../core/measure/pending-share.ts";
import { percent } from "../../core/measure/percent.ts";
import { checkFirstReplies } from "../../core/measure/first-replies.ts";
import type { Role } from "../../core/ports/model.ts";
import { levelText } from "../../core/shown-level.ts";
import type { SplitName, Task } from "../../core/tasks/task.ts";
import { type TriggerFigures, countTriggers } from "../../core/triggers/trigger-figures.ts";
import { unusableText } from "../../report/unusable-replies.ts";
import { type PricedCost, type Summary, evaluationFiles } from "../reports/artifacts.ts";
import type { CallOptions } from "../session/open-run.ts";
import { runId } from "../session/run-id.ts";
import { onlyMeasured } from "./only-measured.ts";
import { performCall } from "./perform.ts";
import type { Performed, Verb } from "./verb.ts";

export interface EvaluateOptions extends CallOptions {
  /** Which split. Every look at test makes it worth less, so it must be asked for. @default "val" */
  readonly on?: SplitName;
}

export interface EvalSummary {
  readonly run: string;
  readonly split: SplitName;
  readonly tasks: number;
  readonly pending: number;
  readonly hard: number | null;
  readonly soft: number | null;
  /** The 95% interval of the hard score on tasks like these; missing while results are missing. */
  readonly interval?: { readonly low: number; readonly high: number };
  /** Tasks of the split that were left out because their prompts are too long for the model. */
  readonly tooLong?: number;
  /** Ids of tasks whose results may still come; missing if there are none. */
  readonly missing?: readonly string[];
  /** Ids of tasks left out of the run by a person. */
  readonly leftOut?: readonly string[];
  /** Unusable replies; missing if all were usable. */
  readonly replies?: Summary["replies"];
  /** On the description track. */
  readonly triggers?: TriggerFigures;
  readonly cost: Readonly<Partial<Record<Role | "total", PricedCost>>>;
}

/** `tooLong`: the number of tasks whose prompts are too long for the model. */
export type EvalRun = Performed<Evaluation & { readonly tooLong: number }, EvalSummary>;

/**
 * Measures a skill on one split, one trial per task. Calling it again resumes, or returns the finished result.
 *
 * @example
 * const { summary } = await evaluate({ skill: "./SKILL.md", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano", on: "val" });
 * console.log(summary.hard, summary.interval);
 */
export const evaluate = ({ on = "val", ...options }: EvaluateOptions): Promise<EvalRun> =>
  performCall(options, ["target"], ({ resolved }) => evaluateVerb(resolved, on));

/** A skill on one split, one trial per task. */
export function evaluateVerb(given: Resolved, split: SplitName): Verb<EvalRun["result"], EvalSummary> {
  const tasks = given.splits[split];
  if (tasks.length === 0)
    throw new WhetstoneError("tasks-invalid", `The ${split} split has no tasks.`, {
      hint: "Choose another split, or add tasks to it.",
    });
  const resolved = onlyMeasured(given, [{ split, tasks }]);
  const { skill, settings } = resolved;
  return {
    command: "eval",
    roles: ["target"],
    resolved,
    id: runId("eval", resolved),
    async run(context) {
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
      const tooLong = whole.rolled.length - fitting.length;
      return { ...(tooLong > 0 ? await measure(fitting) : whole), tooLong };
    },
    tell(evaluation, { run, cost }) {
      const { rolled, pending, tooLong } = evaluation;
      const rate = rateEvidence(evaluation);
      const summary: EvalSummary = {
        run,
        split,
        ...ratePart(rate),
        cost,
        tooLong: tooLong > 0 ? tooLong : undefined,
        missing: pending > 0 ? missingTasks(rolled) : undefined,
        triggers: settings.track === "description" ? countTriggers(rolled) : undefined,
      };
      return {
        sentence: evalSentence(summary),
        summary,
        artifacts: evaluationFiles(`${split}_eval`, evaluation),
        evidence: { rates: { [`${split}_eval`]: rate } },
      };
    },
  };
}

/** The rate's part of a summary. */
export function ratePart(
  rate: RateEvidence,
): Pick<EvalSummary, "tasks" | "pending" | "hard" | "soft" | "interval"> {
  const [score, estimate] = [rateScore(rate), estimateRate(rate)];
  return {
    tasks: rate.length,
    pending: rate.filter(({ hard }) => hard === null).length,
    hard: score?.hard ?? null,
    soft: score?.soft ?? null,
    interval: estimate === null ? undefined : { low: estimate.low, high: estimate.high },
  };
}

export function evalSentence({
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
  const range =
    interval === undefined
      ? ""
      : `${levelText} interval ${percent(interval.low)} to ${percent(interval.high)}, `;
  const sentences = [
    `${percent(hard)} of ${tasks} ${split} tasks pass (${range}partial credit ${percent(soft)}), one trial each.`,
    ...(tooLong === undefined
      ? []
      : [`${tooLong} more ${tooLong === 1 ? "is" : "are"} too long for the model and left out.`]),
    ...(replies.length === 0 ? [] : [`${unusableText(replies)}.`]),
  ];
  return sentences.join(" ");
}
