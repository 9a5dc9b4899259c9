import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Stage, stageOrder } from "../../core/place.ts";
import { captureRequests } from "../../core/tasks/capture-requests.ts";
import {
  type CallKind,
  type PlannedCalls,
  type PlannedRole,
  type RunSizes,
  countCalls,
  countSteps,
} from "../../core/plan/count-calls.ts";
import { countJudge } from "../../core/plan/count-judge.ts";
import { estimateAgentRollout } from "../../core/plan/estimate-agent.ts";
import type { MeasuredModels } from "../../core/rehearse/measured-models.ts";
import {
  estimateFailures,
  estimateOptimizerReply,
  estimatePlainSteps,
  estimateTargetReply,
  estimateVerdict,
} from "../../core/plan/estimate-replies.ts";
import { measurePrompts } from "../../core/plan/measure-prompts.ts";
import { type Range, addRanges, multiplyRanges, range } from "../../core/rehearse/range.ts";
import { type Cost, addCost, noCost } from "../../core/cost.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { type Price, costOf } from "../../core/work/price.ts";
import { earnAlpha } from "../../core/gate/claim/spend-alpha.ts";
import { nextRead } from "../../core/measure/claim-log.ts";
import { type SealedPlan, planSealed } from "../../core/measure/seal.ts";
import { viewDescription } from "../../core/triggers/train-description.ts";
import { isFirstStepBought } from "./first-step.ts";
import { readMeasuredModels } from "../session/measured-models.ts";

/** What a training run will take, as far as that can be known without a call. Money is in billionths of a US dollar. */
export interface RunPlan {
  readonly calls: Range;
  readonly tokens: Range;
  readonly price: Range & { readonly byRole: Readonly<Record<PlannedRole, Range>> };
  readonly stages: readonly StagePlan[];
  readonly steps: {
    readonly planned: number;
    /** How many the caps pay for, at the dear and at the cheap end; null without a cap that counts. */
    readonly affordable: Range | null;
  };
  /**
   * Replies in the journal that the lengths rest on. With none of a model, how much it writes is a guess from its token
   * limit, and the range is wide.
   */
  readonly measuredReplies: Readonly<Record<PlannedRole, number>>;
  /** Where the target is an agent: what one rollout of it is taken for, in calls and tokens. */
  readonly rollout?: { readonly calls: Range; readonly tokens: Range };
  /** With `speculate`: what may be bought beside all this and not be needed, in billionths of a US dollar. */
  readonly mostWasted?: number;
  /** Models whose price nobody knows; they count as free here. */
  readonly unpriced: readonly string[];
  /** Why the caps cannot finish one step. */
  readonly refusal?: WhetstoneError;
}

export interface StagePlan {
  readonly stage: Stage;
  readonly role: PlannedRole;
  readonly calls: Range;
  readonly nanoUsd: Range;
}

/** Reckons a run up before its first call. Results of the same models in the journal make the range narrower. */
export async function planRun(resolved: Resolved, journal?: Journal): Promise<RunPlan> {
  const { settings, splits, models, prices } = resolved;
  const measured: MeasuredModels =
    journal === undefined ? { optimizer: new Map() } : await readMeasuredModels(journal, models);
  const steps = countSteps(settings, splits.train.length);
  const rolled = countCalls(settings, sizesOf(resolved, measured, await sealedPlan(resolved, journal)));
  const planned = [...rolled, ...countJudge(rolled, judgedRun(resolved))];
  const priced = await priceCalls(resolved, planned, steps, measured);
  const byRole = (role: PlannedRole) =>
    addRanges(...priced.filter((one) => one.role === role).map(({ cost }) => nanoUsd(cost)));
  const [target, optimizer, judge] = [byRole("target"), byRole("optimizer"), byRole("judge")];
  const roles = [...new Set(priced.map(({ role }) => role))];
  const total = (unit: keyof Cost) => addRanges(...priced.map(({ cost }) => inUnit(cost, unit)));
  const refusal = await refuseTooSmallCaps(resolved, priced, journal);
  const heard = [...measured.optimizer.values()].reduce((sum, { replies }) => sum + replies, 0);
  const { speculate = 0 } = resolved;
  const stated = statePrice(addRanges(target, optimizer, judge), measured, roles);
  return {
    calls: total("calls"),
    tokens: total("tokens"),
    price: {
      ...stated,
      byRole: { target, optimizer, judge },
    },
    stages: stagesOf(priced),
    steps: { planned: steps, affordable: affordableSteps(resolved, priced, steps) },
    measuredReplies: {
      target: measured.target?.replies ?? 0,
      optimizer: heard,
      judge: measured.judge?.replies ?? 0,
    },
    ...(resolved.isAgent === true ? { rollout: rolloutOf(measured) } : {}),
    // a share of all that is spent, itself included
    ...(speculate === 0 ? {} : { mostWasted: Math.ceil((stated.high * speculate) / (1 - speculate)) }),
    unpriced: [...new Set(roles.map((role) => models[role]))].filter(
      (id) => priceOf(id, prices) === undefined,
    ),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

function rolloutOf(measured: MeasuredModels): NonNullable<RunPlan["rollout"]> {
  const cost = estimateAgentRollout(measured.agent, { input: 0, output: 0 });
  return { calls: inUnit(cost, "calls"), tokens: inUnit(cost, "tokens") };
}

const judgedRun = ({ splits, calibration = [] }: Resolved) => ({ splits, rows: calibration });

/** The sealed test as the next read of these tasks would be. */
export async function sealedPlan(
  { settings, splits: { test } }: Pick<Resolved, "settings" | "splits">,
  journal: Journal | undefined,
): Promise<SealedPlan & { readonly read: number; readonly alpha: number }> {
  const next = journal === undefined ? undefined : await nextRead(test, settings.sealedAlpha, journal);
  const { read = 1, alpha = earnAlpha(settings.sealedAlpha, 1, []) } = next ?? {};
  return { ...planSealed(test, settings, alpha), read, alpha };
}

function sizesOf({ splits, environment }: Resolved, measured: MeasuredModels, sealed: SealedPlan): RunSizes {
  const { train, val, test } = splits;
  return {
    train: train.length,
    val: val.length,
    test: test.length,
    sealedTrials: sealed.trials,
    claimPossible: sealed.limits.possible,
    ownReflection: environment.reflect !== undefined,
    plainSteps: estimatePlainSteps(measured),
    failures: estimateFailures(measured),
  };
}

const widest = 2.95;

/**
 * The sum of all cheap ends and that of all dear ones lie further apart than runs do. Once all models have been heard,
 * at most the middle threefold is stated: `proof plan` counts how often it holds. Unheard models keep their wide guess.
 */
function statePrice(
  sum: Range,
  { target, optimizer, judge }: MeasuredModels,
  roles: readonly PlannedRole[],
): Range {
  const heard = { target: target !== undefined, optimizer: optimizer.size > 0, judge: judge !== undefined };
  if (roles.some((role) => !heard[role]) || sum.high <= widest * sum.low) return sum;
  const middle = Math.sqrt(sum.low * sum.high);
  return range(Math.round(middle / Math.sqrt(widest)), Math.round(middle * Math.sqrt(widest)));
}

interface PricedCalls extends PlannedCalls {
  /** In the whole run. */
  readonly cost: { readonly low: Cost; readonly high: Cost };
  /** Of the fewest that the first step needs, at the cheap end. */
  readonly first: Cost;
  /** The most that one of them can be booked with before it is made. */
  readonly worst: Cost;
}

async function priceCalls(
  resolved: Resolved,
  planned: readonly PlannedCalls[],
  steps: number,
  measured: MeasuredModels,
): Promise<readonly PricedCalls[]> {
  const { splits, models, prices, neighbours = [] } = resolved;
  const { settings, skill, environment } =
    resolved.settings.track === "description" ? viewDescription({ ...resolved, neighbours }) : resolved;
  const tasks = [...splits.train, ...splits.val, ...splits.test];
  const targetReply = estimateTargetReply(measured.target, tasks, settings);
  const inputs = await measurePrompts({
    skill,
    splits,
    settings,
    environment,
    steps,
    failures: estimateFailures(measured),
    targetReply,
  });
  const perRollout = await callsPerRollout(resolved, measured);
  return planned.map((calls) => {
    const { kind, role, stage } = calls;
    const price = priceOf(models[role], prices) ?? { input: 0, output: 0 };
    const isRollout = role === "target" && kind !== "longest";
    const replies = {
      target: () => targetReply,
      optimizer: () => {
        const alike = kind === "first-analyst" ? "reflect" : stage;
        return estimateOptimizerReply(kind, alike, measured.optimizer, skill, settings);
      },
      judge: () => estimateVerdict(measured.judge, settings),
    };
    const reply = replyOf(kind, replies[role]());
    const known = role === "optimizer" ? measured.optimizer.get(stage) : measured[role];
    const cached = known?.cachedShare ?? 0;
    const times = isRollout ? perRollout : range(1);
    const one = (end: "low" | "high"): Cost => callCost(inputs[kind][end], reply[end], cached, price);
    const maxTokens = role === "target" ? settings.targetMaxTokens : settings.optimizerMaxTokens;
    const cost = (end: "low" | "high") => timesCost(one(end), calls.calls[end] * times[end]);
    if (role === "target" && resolved.isAgent === true)
      return agentCalls(calls, estimateAgentRollout(measured.agent, price));
    return {
      ...calls,
      calls: multiplyRanges(calls.calls, times),
      cost: { low: cost("low"), high: cost("high") },
      first: timesCost(one("low"), calls.firstStep * times.low),
      // a token is at least one byte, and four of them were taken for one
      worst: callCost(4 * inputs[kind].low, maxTokens, 0, price),
    };
  });
}

/** Rollouts of an agent: each makes many calls, and each call is reserved by itself. */
function agentCalls(calls: PlannedCalls, rollout: PricedCalls["cost"]): PricedCalls {
  const cost = (end: "low" | "high") => timesCost(rollout[end], calls.calls[end]);
  return {
    ...calls,
    calls: range(cost("low").calls, cost("high").calls),
    cost: { low: cost("low"), high: cost("high") },
    first: timesCost(rollout.low, calls.firstStep),
    worst: rollout.high,
  };
}

/** An environment of its own kind may call the target never, once or often: only the journal can tell. */
export async function callsPerRollout(
  { environment, splits, skill, settings }: Resolved,
  { callsPerRollout: known }: MeasuredModels,
): Promise<Range> {
  if (environment.throughContext !== true) return known === undefined ? range(0, 1) : range(known);
  const asked = await Promise.all(
    splits.val.map((task) => captureRequests(task, skill, environment, settings)),
  );
  return range(asked.flat().length / Math.max(asked.length, 1));
}

const replyOf = (kind: CallKind, reply: Range): Range => (kind === "canary" ? range(2, 20) : reply);

export function callCost(input: number, output: number, cachedShare: number, price: Price): Cost {
  const usage = {
    inputTokens: Math.round(input),
    outputTokens: Math.round(output),
    cachedInputTokens: Math.round(cachedShare * input),
  };
  return { nanoUsd: costOf(usage, price), tokens: usage.inputTokens + usage.outputTokens, calls: 1 };
}

export const timesCost = ({ nanoUsd: money, tokens, calls }: Cost, times: number): Cost => ({
  nanoUsd: Math.round(money * times),
  tokens: Math.round(tokens * times),
  calls: Math.round(calls * times),
});

const inUnit = ({ low, high }: PricedCalls["cost"], unit: keyof Cost): Range => range(low[unit], high[unit]);
const nanoUsd = (cost: PricedCalls["cost"]): Range => inUnit(cost, "nanoUsd");

/** In the order in which a run meets them. */
function stagesOf(priced: readonly PricedCalls[]): readonly StagePlan[] {
  const stages = new Map<string, StagePlan>();
  for (const { stage, role, cost } of priced) {
    const before = stages.get(`${stage} ${role}`);
    stages.set(`${stage} ${role}`, {
      stage,
      role,
      calls: addRanges(before?.calls ?? range(0), inUnit(cost, "calls")),
      nanoUsd: addRanges(before?.nanoUsd ?? range(0), nanoUsd(cost)),
    });
  }
  return stageOrder.flatMap((stage) => [...stages.values()].filter((one) => one.stage === stage));
}

interface Cap {
  readonly unit: keyof Cost;
  readonly most: number;
  readonly name: string;
}

export function capsOf({ spend }: Resolved): readonly Cap[] {
  return [
    ...(spend.usd === undefined
      ? []
      : [{ unit: "nanoUsd", most: spend.usd * 1e9, name: `$${spend.usd}` } as const]),
    ...(spend.tokens === undefined
      ? []
      : [{ unit: "tokens", most: spend.tokens, name: `${spend.tokens} tokens` } as const]),
    ...(spend.calls === undefined
      ? []
      : [{ unit: "calls", most: spend.calls, name: `${spend.calls} calls` } as const]),
  ];
}

function affordableSteps(resolved: Resolved, priced: readonly PricedCalls[], planned: number): Range | null {
  const caps = capsOf(resolved);
  if (caps.length === 0 || planned === 0) return null;
  const end = (which: "low" | "high") => {
    const sum = (perStep: boolean, unit: keyof Cost) =>
      priced.filter((one) => one.perStep === perStep).reduce((all, { cost }) => all + cost[which][unit], 0);
    const counts = caps.map(({ unit, most }) => {
      const each = sum(true, unit) / planned;
      return each === 0 ? planned : Math.floor((most - sum(false, unit)) / each);
    });
    return Math.max(Math.min(...counts, planned), 0);
  };
  return range(end("high"), end("low"));
}

/** Before the first call: even at the cheap end the first step would not end, or its dearest call would not be let through. */
async function refuseTooSmallCaps(
  resolved: Resolved,
  priced: readonly PricedCalls[],
  journal: Journal | undefined,
): Promise<WhetstoneError | undefined> {
  const least = priced.map(({ first }) => first).reduce(addCost, noCost);
  const analysts = priced.filter(
    ({ kind, firstStep }) => firstStep > 0 && (kind === "analyst" || kind === "contrast"),
  );
  for (const { unit, most, name } of capsOf(resolved)) {
    // the last analyst is let through only when its worst case fits beside all that was spent before
    const last = Math.max(
      0,
      ...analysts.map(({ worst, first, firstStep }) => worst[unit] - first[unit] / firstStep),
    );
    const needed = least[unit] + last;
    if (needed <= most || (await isFirstStepBought(resolved, journal))) continue;
    const amount =
      unit === "nanoUsd" ? `$${(Math.ceil(needed / 1e7) / 100).toFixed(2)}` : `${Math.ceil(needed)} ${unit}`;
    return new WhetstoneError(
      "spend-too-small",
      `${name} cannot finish one step: it takes at least ${amount}.`,
      {
        hint: "Raise the cap, or make a step smaller: a smaller batchSize, fewer val tasks, a lower optimizerMaxTokens. Nothing was called.",
      },
    );
  }
  return undefined;
}
