import { z } from "zod";

/** A file from somebody else may be of any size; the exact tests take time that grows with these. */
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

/** One (task, trial) with what both arms took; the task by its index. */
const pairedUseSchema = z.object({
  task: z.number().int().min(0),
  uses: z.tuple([usedSchema, usedSchema]).readonly(),
});

export type PairedUse = z.infer<typeof pairedUseSchema>;

/** What answers that know nothing came to: it takes the tasks and their checks, so it is stated here. */
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

/** What was measured in pairs: all that the arithmetic takes. */
const pairsSchema = z.object({
  /** Ids, in the order of the pairs. */
  tasks: list(z.string()),
  /** The group of each task, "" where it has none; missing where no task has one. */
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
  /** How many replies of each arm's target were no answers, by kind; missing where all were. */
  unusable: z.object({ before: z.record(z.string(), count), after: z.record(z.string(), count) }).optional(),
  /** How many results each host answered for. */
  hosts: z.record(z.string(), count),
});

export type PairsEvidence = z.infer<typeof pairsSchema>;

/** The bar of a claim as core/measure/task-accounts.ts computes it; all questions on the tasks share `alpha`. */
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
    /** The blocks in the order in which they began. */
    order: list(z.object({ task: count, trial: count }), mostTrials),
    /** The original's scores in its first measurement and at the end of the run. */
    again: list(z.object({ before: share, after: share })).optional(),
    bar: barSchema,
    /** Differences of the texts that were compared at the same time, unit by unit; of one with missing results none. */
    beside: list(list(z.number().int())).optional(),
    /** Ids of tasks that helped to make one of the skills. */
    seen: list(z.string()),
    /** Set where a judge of the optimizer's kind scored what the optimizer wrote. */
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

/** What the figures of a run are computed from, as plain data: whoever has it can compute them again. */
export const evidenceSchema = z.object({
  /** Of a sealed test or a comparison. */
  claim: claimEvidenceSchema.optional(),
  /** Of a pruning, on val and on test. */
  val: lossEvidenceSchema.optional(),
  test: lossEvidenceSchema.optional(),
  /** By the name of the results: `val_eval`, `baseline_no_skill`. */
  rates: z.record(z.string(), rateEvidenceSchema).optional(),
});

export type ClaimEvidence = z.infer<typeof claimEvidenceSchema>;
export type LossEvidence = z.infer<typeof lossEvidenceSchema>;
export type RateEvidence = z.infer<typeof rateEvidenceSchema>;
export type Evidence = z.infer<typeof evidenceSchema>;

/** Every task of a claim has all its trials, with or without a result. */
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
