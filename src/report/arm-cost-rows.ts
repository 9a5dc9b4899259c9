import type { ArmCost, ArmCosts } from "../core/measure/arm-costs.ts";
import { growth } from "../core/measure/percent.ts";
import { growthRange } from "../core/verdict-words.ts";
import { levelText } from "../core/shown-level.ts";
import { formatUsd } from "../core/work/spend.ts";

/** One line about usage per rollout with each of two skills, as readable text. */
export interface CostRow {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** "+102%"; empty if there was nothing before. */
  readonly change: string;
  /** "+95% to +110%"; empty if it isn't an estimate. */
  readonly interval: string;
}

/** Usage per rollout, and the length of the skill. */
export function armCostRows(costs: ArmCosts): readonly CostRow[] {
  const { tokens, nanoUsd, turns, toolCalls, ms, skillTokens } = costs;
  return [
    row("tokens", tokens, count),
    ...(nanoUsd === undefined ? [] : [row("money", nanoUsd, formatUsd)]),
    row("turns", turns, few),
    ...(toolCalls === undefined ? [] : [row("tool calls", toolCalls, few)]),
    ...(ms === undefined ? [] : [row("time", ms, (value) => `${(value / 1000).toFixed(1)} s`)]),
    {
      name: "skill, in tokens",
      before: count(skillTokens.before),
      after: count(skillTokens.after),
      change: skillTokens.before === 0 ? "" : growth(skillTokens.after / skillTokens.before),
      interval: "",
    },
  ];
}

function row(name: string, { before, after, ratio }: ArmCost, spell: (value: number) => string): CostRow {
  return {
    name,
    before: spell(before),
    after: spell(after),
    change: ratio === undefined ? "" : growth(ratio.value),
    interval: ratio === undefined ? "" : growthRange(ratio),
  };
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US");
const few = (value: number): string => value.toFixed(1);

/** The data behind the rows. */
export const armCostNote = ({ pairs, scope }: ArmCosts): string =>
  `Per rollout of the target, from ${pairs} pairs; ${levelText} intervals${scope === "these tasks" ? ", for these tasks only" : ""}. Time spent waiting for rate limits isn't counted.`;
