import { z } from "zod";
import type { PairedUse } from "../evidence.ts";
import { fewestTasks } from "../gate/claim/claim-p.ts";
import { type ClaimPair, countUnits } from "../gate/claim/claim-pair.ts";
import { type CostPair, atLeastP, atMostP, costRatio } from "../gate/claim/cost-ratio.ts";
import { mean } from "../mean.ts";
import type { TrainSettings } from "../settings.ts";
import { shownLevel } from "../shown-level.ts";
import type { Skill } from "../skill/skill.ts";
import type { Used } from "../used.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import { readGrowth } from "./percent.ts";
import type { Trials } from "./trials.ts";

const armCostSchema = z.object({
  /** Means per rollout. */
  before: z.number(),
  after: z.number(),
  /** The growth factor with its interval; missing if the earlier skill's cost is zero. */
  ratio: z.object({ value: z.number(), low: z.number(), high: z.number().nullable() }).optional(),
});

/** The cost of a rollout with each of two skills, and whether it meets the objective. */
export const armCostsSchema = z.object({
  /** The number of pairs of rollouts behind it. */
  pairs: z.number(),
  /** The level of the intervals. */
  level: z.number(),
  /** Whether other tasks may differ: with fewer than twelve units the intervals are about these tasks alone. */
  scope: z.enum(["tasks like these", "these tasks"]),
  tokens: armCostSchema,
  /** Billionths of a US dollar; missing without prices. */
  nanoUsd: armCostSchema.optional(),
  turns: armCostSchema,
  /** Missing if no tool was called. */
  toolCalls: armCostSchema.optional(),
  /** Milliseconds without waiting for rate limits; missing if a person answers. */
  ms: armCostSchema.optional(),
  /** The estimated length of the skill itself, with all its files. */
  skillTokens: z.object({ before: z.number(), after: z.number() }),
  objective: z
    .object({
      /** The cost that the objective limits: money, or tokens without prices. */
      of: z.enum(["nanoUsd", "tokens"]),
      /** The maximum growth: 0.1 for +10%. */
      maxCost: z.number(),
      /** `above` is shown as well; `open` means that neither is shown. */
      found: z.enum(["within", "above", "open"]),
      /** The p for "it grows by more". */
      p: z.number(),
    })
    .optional(),
});

export type ArmCosts = Readonly<z.infer<typeof armCostsSchema>>;
export type ArmCost = Readonly<z.infer<typeof armCostSchema>>;

export interface ArmCostsInput {
  /** The claim's pairs: each task with its unit and weight. */
  readonly pairs: readonly ClaimPair[];
  readonly uses: readonly PairedUse[];
  readonly skillTokens: ArmCosts["skillTokens"];
  /** The threshold of the accompanying claim. */
  readonly alpha: number;
  /** The target only repeats itself, so repeats aren't evidence. @default false */
  readonly steady?: boolean;
  /** The most that the cost of a rollout may grow: 0.1 for +10%. */
  readonly maxCost?: number | undefined;
}

/** The costs of both arms of a claim, pair by pair; undefined if they weren't counted. */
export function armCosts(input: ArmCostsInput): ArmCosts | undefined {
  const { alpha, maxCost, uses: rolls } = input;
  if (rolls.length === 0 && maxCost === undefined) return undefined;
  const scope = scopeOf(input);
  const pairsOf = (measure: keyof Used) => costPairs(input, scope, measure);
  const cost = (measure: keyof Used): ArmCost | undefined => {
    if (rolls.some(({ uses }) => uses.some((used) => used[measure] === undefined))) return undefined;
    const pairs = pairsOf(measure);
    const [one, other] = [total(pairs, "before"), total(pairs, "after")];
    return one + other === 0
      ? undefined
      : { before: one, after: other, ratio: costRatio(pairs, (1 - shownLevel) / 2) };
  };
  const nothing: ArmCost = { before: 0, after: 0 };
  const nanoUsd = cost("nanoUsd");
  const held = nanoUsd === undefined ? "tokens" : "nanoUsd";
  return {
    pairs: rolls.length,
    level: shownLevel,
    scope,
    tokens: cost("tokens") ?? nothing,
    nanoUsd,
    turns: cost("turns") ?? nothing,
    toolCalls: cost("toolCalls"),
    ms: cost("ms"),
    skillTokens: input.skillTokens,
    ...(maxCost === undefined
      ? {}
      : { objective: { of: held, maxCost, ...holdTo(pairsOf(held), 1 + maxCost, alpha) } }),
  };
}

/** The side claim: one arm costs at most this multiple of the other, or it costs more, or neither is shown. */
function holdTo(pairs: readonly CostPair[], ratio: number, alpha: number) {
  const p = atMostP(pairs, ratio);
  const found = p <= alpha ? "within" : atLeastP(pairs, ratio) <= alpha ? "above" : "open";
  return { found, p } as const;
}

/** The objective of a run: 0.1 for +10%; undefined if it has none. */
export const maxCostOf = ({ objective }: Pick<TrainSettings, "objective">): number | undefined =>
  objective.maxCost === undefined ? undefined : readGrowth(objective.maxCost);

/** The tokens that a skill adds to every prompt containing all of it. */
export const skillTokens = ({ files }: Skill): number =>
  Object.values(files).reduce((sum, text) => sum + estimateTokens(text), 0);

/** Without a result in both arms there's no pair. */
export function pairedUses(before: Trials, after: Trials): readonly PairedUse[] {
  return before.rolled.flatMap((rolled, trial) =>
    rolled.flatMap(({ outcome }, task): PairedUse[] => {
      const other = after.rolled[trial]?.[task]?.outcome;
      if (outcome.kind !== "scored" || other?.kind !== "scored") return [];
      if (outcome.used === undefined || other.used === undefined) return [];
      return [{ task, uses: [outcome.used, other.used] }];
    }),
  );
}

/** Same as for the accompanying claim: a handful of tasks only supports statements about itself, by its trials. */
function scopeOf({ pairs, steady = false }: ArmCostsInput): ArmCosts["scope"] {
  const isFew = countUnits(pairs) < fewestTasks;
  const trials = pairs[0]?.candidate.length ?? 0;
  return isFew && !steady && trials > 1 ? "these tasks" : "tasks like these";
}

/** By sampled unit: a unit of tasks, or a trial. Their sums are the means per rollout, weighted by task. */
function costPairs(
  { pairs, uses: rolls }: ArmCostsInput,
  scope: ArmCosts["scope"],
  measure: keyof Used,
): readonly CostPair[] {
  const byTask = Map.groupBy(rolls, ({ task }) => task);
  const weights = new Map([...byTask.keys()].map((task) => [task, pairs[task]?.weight ?? 1]));
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  const share = (task: number) => (weights.get(task) ?? 1) / all;
  const of = (arm: 0 | 1, some: readonly PairedUse[]) =>
    mean(some.map(({ uses }) => uses[arm][measure] ?? 0));
  if (scope === "these tasks")
    return rolls.map((roll) => {
      const part = share(roll.task) / (byTask.get(roll.task)?.length ?? 1);
      return { before: part * of(0, [roll]), after: part * of(1, [roll]) };
    });
  const byUnit = Map.groupBy(byTask, ([task]) => pairs[task]?.unit ?? task);
  return [...byUnit.values()].map((own) => {
    const arm = (which: 0 | 1) => own.reduce((sum, [task, some]) => sum + share(task) * of(which, some), 0);
    return { before: arm(0), after: arm(1) };
  });
}

/** Rounds off the last digits, which are only noise from sums of shares. */
const total = (pairs: readonly CostPair[], arm: keyof CostPair): number =>
  Number(pairs.reduce((sum, pair) => sum + pair[arm], 0).toPrecision(12));
