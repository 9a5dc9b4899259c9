import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { captureRequests, requestBytes } from "../../core/tasks/capture-requests.ts";
import { estimateAgentRollout } from "../../core/plan/estimate-agent.ts";
import { bytesPerToken } from "../../core/work/estimate-tokens.ts";
import { estimateTargetReply } from "../../core/plan/estimate-replies.ts";
import { type Range, range } from "../../core/rehearse/range.ts";
import type { Cost } from "../../core/cost.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { type PruneSize, countRollouts } from "../../core/prune/prune-plan.ts";
import { formatUsd } from "../../core/work/spend.ts";
import { readMeasuredModels } from "../session/measured-models.ts";
import { callCost, callsPerRollout, capsOf, timesCost } from "./plan.ts";

export interface PrunePlan {
  readonly rollouts: Range;
  readonly calls: Range;
  /** Billionths of a US dollar; a target without a known price counts as free. */
  readonly nanoUsd: Range;
  readonly message: string;
}

/** What a pruning will take, said before its first call; caps below its cheap end are refused. */
export async function planPrune(resolved: Resolved, size: PruneSize, journal: Journal): Promise<PrunePlan> {
  const rollouts = countRollouts(size);
  const one = await rolloutCost(resolved, journal);
  const [low, high] = [timesCost(one.low, rollouts.low), timesCost(one.high, rollouts.high)];
  refuseTooSmallCaps(resolved, low);
  const message = `${size.rules.length} rules, ${size.val} val tasks, ${size.trials === 1 ? "1 trial" : `${size.trials} trials`}: ${rollouts.low} to ${rollouts.high} rollouts, ${formatUsd(low.nanoUsd)} to ${formatUsd(high.nanoUsd)}; most where much can go`;
  return {
    rollouts,
    calls: range(low.calls, high.calls),
    nanoUsd: range(low.nanoUsd, high.nanoUsd),
    message,
  };
}

async function rolloutCost(
  resolved: Resolved,
  journal: Journal,
): Promise<{ readonly low: Cost; readonly high: Cost }> {
  const { models, prices, isAgent, splits, skill, environment, settings } = resolved;
  const measured = await readMeasuredModels(journal, models);
  const price = priceOf(models.target, prices) ?? { input: 0, output: 0 };
  if (isAgent === true) return estimateAgentRollout(measured.agent, price);
  const asked = await Promise.all(
    splits.val.map((task) => captureRequests(task, skill, environment, settings)),
  );
  const sizes = asked.flat().map(requestBytes);
  const input = sizes.reduce((sum, bytes) => sum + bytes, 0) / sizes.length / bytesPerToken;
  const reply = estimateTargetReply(measured.target, splits.val, settings);
  const times = await callsPerRollout(resolved, measured);
  const cached = measured.target?.cachedShare ?? 0;
  const at = (end: "low" | "high") => timesCost(callCost(input, reply[end], cached, price), times[end]);
  return { low: at("low"), high: at("high") };
}

function refuseTooSmallCaps(resolved: Resolved, least: Cost): void {
  for (const { unit, most, name } of capsOf(resolved)) {
    if (resolved.offline || least[unit] <= most) continue;
    const needed = unit === "nanoUsd" ? formatUsd(least[unit]) : `${least[unit]} ${unit}`;
    throw new WhetstoneError("spend-too-small", `${name} cannot prune this: it takes at least ${needed}.`, {
      hint: "Raise the cap, take fewer trials or val tasks, or name with --since the run whose rules are in question. Nothing was called.",
    });
  }
}
