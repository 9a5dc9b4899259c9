import { z } from "zod";

/** Limits for files from others, which can be of any size: the exact tests take longer the more there is. */
const mostTasks = 20_000;
const mostTrials = 400_000;

const count = z.number().int().min(0).max(1e9);
const score = z.number().min(0).max(1).nullable();
const share = z.number().min(0).max(1);

const list = <Item extends z.ZodType>(item: Item, most = mostTasks) => z.array(item).max(most).readonly();

const usedSchema = z.object({
  tokens: z.number(),
  nanoUsd: z.number(),
  turns: z.number(),
  toolCalls: z.number(),
  ms: z.number().optional(),
});

/** One (task, trial) with the tokens and turns of both arms; the task by its index. */
const pairedUseSchema = z.object({
  task: z.number().int().min(0),
  uses: z.tuple([usedSchema, usedSchema]).readonly(),
});

export type PairedUse = z.infer<typeof pairedUseSchema>;

/** Scores of answers that know nothing. Recomputing them needs the tasks and their checks, so they're stated here. */
const blindSchema = z.object({
  constant: z
    .object({
      tasks: count,
      untried: count,
      values: count,
      best: z.object({ answer: z.string().max(1e6), score: share, after: share }).optional(),
    })
    .optional(),
  joined: z.object({ how: z.enum(["listed", "same"]), tasks: count, of: count }).optional(),
});

/** The paired measurements: everything the arithmetic needs. */
const pairsSchema = z.object({
  /** Ids, in the order of the pairs. */
  tasks: list(z.string()),
  /** The group of each task, "" for a task without one; missing if no task has one. */
  groups: list(z.string()).optional(),
  pairs: list(
    z.object({
      incumbent: list(score),
      candidate: list(score),
      unit: count.optional(),
      weight: z.number().min(0).max(1e9).optional(),
      leftOut: z.boolean().optional(),
    }),
  ),
  uses: list(pairedUseSchema, mostTrials),
  skillTokens: z.object({ before: z.number(), after: z.number() }),
  maxCost: z.number().optional(),
  blind: blindSchema.optional(),
  /** How many unusable replies each arm's target gave, by kind; missing without any. */
  unusable: z.object({ before: z.record(z.string(), count), after: z.record(z.string(), count) }).optional(),
  /** How many results came from each host. */
  hosts: z.record(z.string(), count),
});

export type PairsEvidence = z.infer<typeof pairsSchema>;

/** The threshold of a claim, as core/measure/task-accounts.ts computes it. All comparisons on the tasks share `alpha`. */
const barSchema = z.object({
  alpha: share,
  read: count.min(1),
  look: count.min(1),
  fresh: count,
  pay: share,
  share,
  worse: share,
  memory: z.enum(["lasts", "fades"]),
});

const claimEvidenceSchema = pairsSchema
  .extend({
    steady: z.boolean(),
    models: list(z.string()),
    /** The blocks in the order in which they started. */
    order: list(z.object({ task: count, trial: count }), mostTrials),
    /** The original's scores in its first measurement and at the end of the run. */
    again: list(z.object({ before: share, after: share })).optional(),
    bar: barSchema,
    /** Differences of texts compared at the same time, unit by unit; empty for a text with missing results. */
    beside: list(list(z.number().int())).optional(),
    /** Ids of tasks that helped to make one of the skills. */
    seen: list(z.string()),
    /** Set when the judge is related to the optimizer whose text it scored. */
    relatedJudge: z.object({ judge: z.string(), optimizer: z.string() }).optional(),
  })
  .refine(isEven, "has pairs of different lengths");

const lossEvidenceSchema = pairsSchema
  .extend({ margin: share, flipRate: share, bar: z.union([barSchema, z.object({ alpha: share })]) })
  .refine(isEven, "has pairs of different lengths");

/** One skill on tasks, once each; null while a result is missing. */
const rateEvidenceSchema = list(
  z.object({ unit: count, weight: z.number().min(0).max(1e9).optional(), hard: score, soft: score }),
);

/** The data behind a run's figures, as plain values: anyone who has it can recompute them. */
export const evidenceSchema = z.object({
  /** From a sealed test or a comparison. */
  claim: claimEvidenceSchema.optional(),
  /** From a pruning, on val and on test. */
  val: lossEvidenceSchema.optional(),
  test: lossEvidenceSchema.optional(),
  /** By the name of the results: `val_eval`, `baseline_no_skill`. */
  rates: z.record(z.string(), rateEvidenceSchema).optional(),
});

export type ClaimEvidence = z.infer<typeof claimEvidenceSchema>;
export type LossEvidence = z.infer<typeof lossEvidenceSchema>;
export type RateEvidence = z.infer<typeof rateEvidenceSchema>;
export type Evidence = z.infer<typeof evidenceSchema>;

/** Whether every task of a claim has all its trials, with or without a result. */
function isEven({
  tasks,
  groups,
  pairs,
  uses,
}: Pick<PairsEvidence, "tasks" | "groups" | "pairs" | "uses">): boolean {
  const trials = pairs[0]?.candidate.length ?? 0;
  return (
    pairs.length === tasks.length &&
    (groups === undefined || groups.length === tasks.length) &&
    pairs.length * trials <= mostTrials &&
    pairs.every(({ incumbent, candidate }) => incumbent.length === trials && candidate.length === trials) &&
    uses.every(({ task }) => task < pairs.length)
  );
}
