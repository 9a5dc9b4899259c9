import { z } from "zod";
import { editOps } from "../skill/edit.ts";

/** `dropped`: open to the end, but not worth its tokens. `given-up`: it doesn't help. `repeated`: a duplicate. */
const ruleState = z.enum(["kept", "dropped", "given-up", "repeated"]);

/** From this chance on, a rule's help counts as shown. */
export const helpShownFrom = 0.95;

const worthSchema = z.object({
  /** Points of score that it adds, 5.6 for +5.6: the expectation, and the bounds of a 95% interval. */
  points: z.number(),
  low: z.number(),
  high: z.number(),
  sd: z.number(),
  /** The chance that it's worth half a point or more. From 0.95 on, its help counts as shown. */
  helps: z.number(),
});

/** The usage that a rule adds to one rollout, with standard deviations. */
const priceSchema = z.object({
  tokens: z.number(),
  tokensSd: z.number(),
  /** Answers of the model. */
  turns: z.number(),
  turnsSd: z.number(),
});

/** Shown by swaps: in each part of the search, chance chose the texts that had it. */
export const swapsSchema = z.object({
  /** How often randomly swapping its texts gives as large a difference, two-sided; missing if there are too few. */
  p: z.number().optional(),
  /** Points that the offered text is expected to lose without it, with its other rules in place. */
  without: z.number().optional(),
  /** Other rules of the text that say the same: next to one of them it adds less than half. */
  alike: z.array(z.number()).readonly().optional(),
  /** Groups of tasks on which it was shown to have an effect, with its points there. */
  groups: z
    .array(z.object({ name: z.string(), points: z.number() }).readonly())
    .readonly()
    .optional(),
});

/** The search's findings about one rule. */
const measuredRuleSchema = worthSchema.extend({
  ...swapsSchema.shape,
  /** Its name: `adopt` selects rules by it. */
  rule: z.number(),
  step: z.number(),
  file: z.string(),
  op: z.enum([...editOps, "rewrite", "guidance", "reminders"]),
  /** The text that it adds, or removes. */
  text: z.string(),
  /** The rule whose words it changes or repeats. */
  of: z.number().optional(),
  state: ruleState,
  /** In one sentence, for people. */
  reason: z.string(),
  /** The tokens that it adds to every prompt. */
  tokens: z.number(),
  /** The measured extra cost of a rollout with it; missing if it wasn't measured. */
  price: priceSchema.readonly().optional(),
  /** Val rollouts whose text contained it, and all that could have. */
  rollouts: z.number(),
  ofRollouts: z.number(),
  /** Train tasks that asked for it. */
  evidence: z.array(z.string()).readonly(),
  source: z.enum(["failure", "success"]).optional(),
});

/** All rules of a search: rules.json, and part of a training's summary. */
export const ruleTableSchema = z.object({
  /** The original's measured score on val. */
  original: z.number(),
  /** The rules' points are partial credit, which steers the search if tasks have several checks. */
  isCredit: z.literal(true).optional(),
  rules: z.array(measuredRuleSchema.readonly()).readonly(),
});

export type RuleTable = Readonly<z.infer<typeof ruleTableSchema>>;
export type MeasuredRule = Readonly<z.infer<typeof measuredRuleSchema>>;
export type RolloutPrice = Readonly<z.infer<typeof priceSchema>>;
export type WorthEstimate = Readonly<z.infer<typeof worthSchema>>;
export type RuleSwaps = Readonly<z.infer<typeof swapsSchema>>;
