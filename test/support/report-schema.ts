import { z } from "zod";
import { reportVersion } from "../../src/report/model.ts";

const share = z.number().min(0).max(1);
const estimate = z
  .object({ value: z.number(), low: z.number(), high: z.number(), tasks: z.int().min(0) })
  .refine(
    ({ low, value, high }) => low <= value + 1e-9 && value <= high + 1e-9,
    "value outside of its interval",
  );
const scoreEstimate = estimate.refine(({ low, high }) => low >= 0 && high <= 1, "not a score");
const cost = z.object({ nanoUsd: z.number().min(0), tokens: z.number().min(0), calls: z.int().min(0) });
const score = share.nullable();

const evaluation = z
  .object({
    name: z.string().min(1),
    stage: z.string(),
    step: z.int().min(0),
    version: z.int().min(-3),
    task: z.array(z.int().min(-1)),
    trial: z.array(z.int().min(0)),
    hard: z.array(score),
    soft: z.array(score).optional(),
    texts: z.array(z.array(z.int().min(1))).optional(),
    text: z.array(z.int().min(0)).optional(),
  })
  .refine(
    ({ task, trial, hard, soft = hard, text = trial }) =>
      [trial, hard, soft, text].every((column) => column.length === task.length),
    "columns of different lengths",
  )
  .refine(({ texts = [], text = [] }) => text.every((place) => place < texts.length), "a text of no rules");

/** What every report holds to, whatever is missing. */
export const reportSchema = z
  .object({
    v: z.literal(reportVersion),
    seq: z.int().min(1),
    overview: z.object({
      id: z.string(),
      status: z.enum(["running", "done", "stopped", "removed"]),
      sentence: z.string(),
      gain: estimate.optional(),
      cost,
      workedMs: z.number().min(0),
    }),
    baseline: scoreEstimate.optional(),
    steps: z.array(
      z.object({
        step: z.int().min(1),
        budget: z.int().min(0),
        applied: z.int().min(0),
        refused: z.int().min(0),
        candidate: scoreEstimate.optional(),
        incumbent: share.optional(),
        best: share.optional(),
      }),
    ),
    sealed: z
      .object({ original: scoreEstimate, best: scoreEstimate.optional(), trials: z.int().min(1) })
      .optional(),
    costs: z.array(z.object({ role: z.string(), stage: z.string(), cost })),
    timeline: z.array(
      z
        .object({ from: z.number().min(0), to: z.number().min(0) })
        .refine(({ from, to }) => from <= to, "ends before it begins"),
    ),
    failures: z.array(z.object({ class: z.string(), count: z.int().min(1), message: z.string() })),
    replies: z.array(
      z.object({
        role: z.string(),
        reply: z.enum(["cut", "empty", "refused", "unparsable"]),
        count: z.int().min(1),
        message: z.string().min(1),
        next: z.string().min(1),
      }),
    ),
    versions: z.array(z.object({ version: z.int().min(0), hash: z.string().length(16) })),
    rules: z.array(z.object({ text: z.string().min(1), tokens: z.int() })),
    tasks: z.array(
      z.object({
        id: z.string(),
        input: z.string().max(300),
        before: share.optional(),
        after: share.optional(),
      }),
    ),
    evaluations: z.array(evaluation),
  })
  .refine(({ versions }) => versions.every(({ version }, at) => version === at), "versions out of order")
  .refine(
    ({ steps }) => steps.every(({ step }, at) => step > (steps[at - 1]?.step ?? 0)),
    "steps out of order",
  )
  .refine(
    ({ evaluations, tasks }) => evaluations.every(({ task }) => task.every((place) => place < tasks.length)),
    "a rollout of no task",
  );
