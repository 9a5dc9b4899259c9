import { z } from "zod";
import { editOps } from "../skill/edit.ts";

/** `dropped`: open to the end, and not worth its tokens. `given-up`: it does not help. `repeated`: said before, in these or other words. */
const ruleState = z.enum(["kept", "dropped", "given-up", "repeated"]);

/** The chance from which on a rule's help is shown. */
export const helpShownFrom = 0.95;

const worthSchema = z.object({
  /** Points of score that it brings, 5.6 for +5.6: expected, and the bounds of a 95 % interval. */
  points: z.number(),
  low: z.number(),
  high: z.number(),
  sd: z.number(),
  /** The chance that it is worth half a point or more; from 0.95 on its help is shown. */
  helps: z.number(),
});

/** What a rule adds to one rollout, with standard deviations. */
const priceSchema = z.object({
  tokens: z.number(),
  tokensSd: z.number(),
  /** Answers of the model. */
  turns: z.number(),
  turnsSd: z.number(),
});

/** Shown by swaps: in each part of the search, chance chose the texts that had it. */
export const swapsSchema = z.object({
  /** How often a random swap of the texts that had it gives as large a difference, two-sided; missing where there are too few. */
  p: z.number().optional(),
  /** Points that the offered text is expected to lose without it, with its other rules in. */
  without: z.number().optional(),
  /** Other rules of the text that say the same: next to one of them it brings less than half. */
  alike: z.array(z.number()).readonly().optional(),
  /** Groups of tasks on which it was shown to do something, each with its points there. */
  groups: z
    .array(z.object({ name: z.string(), points: z.number() }).readonly())
    .readonly()
    .optional(),
});

/** What a search found out about one rule. */
const measuredRuleSchema = worthSchema.extend({
  ...swapsSchema.shape,
  /** Its name: `adopt` takes rules by it. */
  rule: z.number(),
  step: z.number(),
  file: z.string(),
  op: z.enum([...editOps, "rewrite", "guidance", "reminders"]),
  /** What it says, or what it takes away. */
  text: z.string(),
  /** The rule whose words it changes or that it repeats. */
  of: z.number().optional(),
  state: ruleState,
  /** In one sentence, for a person. */
  reason: z.string(),
  /** That it adds to every prompt. */
  tokens: z.number(),
  /** What a rollout takes more with it, measured; missing where it was not. */
  price: priceSchema.readonly().optional(),
  /** Val rollouts whose text held it, and all that could have. */
  rollouts: z.number(),
  ofRollouts: z.number(),
  /** Train tasks that asked for it. */
  evidence: z.array(z.string()).readonly(),
  source: z.enum(["failure", "success"]).optional(),
});

/** All rules of a search: rules.json, and part of a training's summary. */
export const ruleTableSchema = z.object({
  /** The measured score of the original on val. */
  original: z.number(),
  /** Points of rules are points of partial credit, which steers the search if tasks have several checks. */
  isCredit: z.literal(true).optional(),
  rules: z.array(measuredRuleSchema.readonly()).readonly(),
});

export type RuleTable = Readonly<z.infer<typeof ruleTableSchema>>;
export type MeasuredRule = Readonly<z.infer<typeof measuredRuleSchema>>;
export type RolloutPrice = Readonly<z.infer<typeof priceSchema>>;
export type WorthEstimate = Readonly<z.infer<typeof worthSchema>>;
export type RuleSwaps = Readonly<z.infer<typeof swapsSchema>>;
