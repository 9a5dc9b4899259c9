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
  /** Means of one rollout. */
  before: z.number(),
  after: z.number(),
  /** How many times as much, with its interval; missing where the earlier skill takes none. */
  ratio: z.object({ value: z.number(), low: z.number(), high: z.number().nullable() }).optional(),
});

/** What one rollout takes with each of two skills, and whether that is within the objective. */
export const armCostsSchema = z.object({
  /** Pairs of rollouts that it rests on. */
  pairs: z.number(),
  /** Of the intervals. */
  level: z.number(),
  /** Whether other tasks may differ: below twelve units the intervals speak of these alone. */
  scope: z.enum(["tasks like these", "these tasks"]),
  tokens: armCostSchema,
  /** Billionths of a US dollar; missing where nothing has a price. */
  nanoUsd: armCostSchema.optional(),
  turns: armCostSchema,
  /** Missing where no tool was called. */
  toolCalls: armCostSchema.optional(),
  /** Milliseconds without waiting for limits; missing where answers wait for a person. */
  ms: armCostSchema.optional(),
  /** The length of the skill itself, all of its files, estimated. */
  skillTokens: z.object({ before: z.number(), after: z.number() }),
  objective: z
    .object({
      /** What is held to it: money, or tokens where nothing has a price. */
      of: z.enum(["nanoUsd", "tokens"]),
      /** The most that it may grow, 0.1 for +10 %. */
      maxCost: z.number(),
      /** `above` is shown too; `open` is not shown either way. */
      found: z.enum(["within", "above", "open"]),
      /** Of "it grows by more". */
      p: z.number(),
    })
    .optional(),
});

export type ArmCosts = Readonly<z.infer<typeof armCostsSchema>>;
export type ArmCost = Readonly<z.infer<typeof armCostSchema>>;

export interface ArmCostsInput {
  /** Of the claim: each task with its unit and its weight. */
  readonly pairs: readonly ClaimPair[];
  readonly uses: readonly PairedUse[];
  readonly skillTokens: ArmCosts["skillTokens"];
  /** The bar of the claim beside it. */
  readonly alpha: number;
  /** The target only repeats itself, so that repeats are no evidence. @default false */
  readonly steady?: boolean;
  /** The most that the cost of a rollout may grow, 0.1 for +10 %. */
  readonly maxCost?: number | undefined;
}

/** What both arms of a claim take, pair by pair; undefined where nobody counted. */
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

/** The side claim: one arm takes at most so many times what the other does, or it takes more, or neither is shown. */
function holdTo(pairs: readonly CostPair[], ratio: number, alpha: number) {
  const p = atMostP(pairs, ratio);
  const found = p <= alpha ? "within" : atLeastP(pairs, ratio) <= alpha ? "above" : "open";
  return { found, p } as const;
}

/** The objective of a run, 0.1 for +10 %; undefined where it has none. */
export const maxCostOf = ({ objective }: Pick<TrainSettings, "objective">): number | undefined =>
  objective.maxCost === undefined ? undefined : readGrowth(objective.maxCost);

/** What a skill adds to every prompt that holds all of it. */
export const skillTokens = ({ files }: Skill): number =>
  Object.values(files).reduce((sum, text) => sum + estimateTokens(text), 0);

/** Where an arm has no result there is no pair. */
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

/** As the claim beside it: a handful of tasks tells of itself only, and by its trials. */
function scopeOf({ pairs, steady = false }: ArmCostsInput): ArmCosts["scope"] {
  const isFew = countUnits(pairs) < fewestTasks;
  const trials = pairs[0]?.candidate.length ?? 0;
  return isFew && !steady && trials > 1 ? "these tasks" : "tasks like these";
}

/** By what was sampled: a unit of tasks, or a trial. Their sums are the means of a rollout, by the tasks' weights. */
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

/** Without the last digits, which only sums of shares leave. */
const total = (pairs: readonly CostPair[], arm: keyof CostPair): number =>
  Number(pairs.reduce((sum, pair) => sum + pair[arm], 0).toPrecision(12));
