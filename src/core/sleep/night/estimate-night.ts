import { byteLength, bytesPerToken } from "../../work/estimate-tokens.ts";
import { judgePrompt } from "../../judge/judge-prompt.ts";
import { estimateAgentRollout } from "../../plan/estimate-agent.ts";
import type { MeasuredModels, MeasuredReplies } from "../../rehearse/measured-models.ts";
import { estimateOptimizerReply } from "../../plan/estimate-replies.ts";
import { type Range, range } from "../../rehearse/range.ts";
import { type Cost, addCost, noCost } from "../../cost.ts";
import type { Role } from "../../ports/model.ts";
import { type Price, costOf } from "../../work/price.ts";
import { seededRandom } from "../../random.ts";
import { analystError } from "../../prompts/analyst-error.ts";
import { mine } from "../../prompts/mine.ts";
import { systemText } from "../../prompts/prompt.ts";
import type { TrainSettings } from "../../settings.ts";
import { singleFileSkill } from "../../skill/skill.ts";
import { skillText } from "../../tasks/chat-environment.ts";
import { type NightCalls, type NightSizes, drawNightCalls, failing } from "./count-night-calls.ts";
import { conversationText } from "../mine/mine.ts";

export type RoleCosts = Readonly<Partial<Record<Role, Cost>>>;

/** What an earlier night was reckoned up to, and what it came to. */
export interface PastNight {
  readonly conversations: number;
  readonly tasks: number;
  readonly cost: RoleCosts;
  readonly planned?: RoleCosts;
}

export interface NightEstimateInput extends Omit<NightSizes, "minibatchSize" | "seed"> {
  readonly nights: readonly PastNight[];
  readonly train: TrainSettings;
  readonly measured: MeasuredModels;
  readonly prices: Readonly<Record<Role, Price>>;
  /** The target is an agent. */
  readonly isAgent: boolean;
  /** Different models that are asked for a sign of life: those that have given none so far. */
  readonly models: number;
}

export interface NightEstimate {
  readonly calls: Range;
  readonly nanoUsd: Range;
  readonly tasks: number;
  /** By role, as reckoned up from the night alone: what later estimates are corrected by. */
  readonly planned: RoleCosts;
  /** Earlier nights that corrected it. */
  readonly nights: number;
}

/**
 * What a night will take, before its first call. Only the mining is known, so the night is drawn many times as it could
 * go, corrected by how far earlier nights were from what they were reckoned to; around the middle of the draws a
 * threefold range is stated. `proof night-price` counts how often it holds.
 */
export function estimateNight(input: NightEstimateInput): NightEstimate {
  const past = input.nights.filter((night) => night.planned !== undefined).slice(-recentNights);
  const sizes = { ...input, ...input.train, settings: input.settings };
  const drawn = Array.from({ length: draws }, (_, at) =>
    drawNightCalls(sizes, seededRandom("night-estimate", at)),
  );
  const tasks = mean(drawn.map((one) => one.tasks));
  const priced = priceCalls(tasks, input);
  const costs = drawn.map((counted) => priceNight(counted, priced, input.models));
  const planned = meanCosts(costs);
  const totals = costs.map((one) =>
    roles
      .map((role) => correct(one[role] ?? noCost, planned[role] ?? noCost, past, role))
      .reduce(addCost, noCost),
  );
  return {
    calls: threefold(totals.map(({ calls }) => calls)),
    nanoUsd: threefold(totals.map(({ nanoUsd }) => nanoUsd)),
    tasks,
    planned,
    nights: past.length,
  };
}

const roles: readonly Role[] = ["miner", "target", "optimizer", "judge"];
const [recentNights, draws, widest] = [5, 400, 2.97];

/** Around the middle of the values, by factors. */
function threefold(values: readonly number[]): Range {
  const center = Math.exp(mean(values.map((value) => Math.log(Math.max(value, 1)))));
  const least = Math.floor(center / Math.sqrt(widest));
  return range(least, Math.min(Math.ceil(center * Math.sqrt(widest)), 3 * least));
}

const meanCosts = (all: readonly RoleCosts[]): RoleCosts =>
  Object.fromEntries(
    roles.map((role) => {
      const average = (unit: keyof Cost) => Math.round(mean(all.map((costs) => costs[role]?.[unit] ?? 0)));
      return [role, { nanoUsd: average("nanoUsd"), tokens: average("tokens"), calls: average("calls") }];
    }),
  );

/** By how many calls this role really made on earlier nights for those that it was reckoned to make. */
function correct(cost: Cost, reckoned: Cost, past: readonly PastNight[], role: Role): Cost {
  const sum = (pick: (night: PastNight) => RoleCosts | undefined) =>
    past.reduce((total, night) => total + (pick(night)?.[role]?.calls ?? 0), 0);
  // what the night itself is reckoned to counts as much as three nights
  const own = 3 * reckoned.calls;
  const factor = (sum((night) => night.cost) + own) / (sum((night) => night.planned) + own || 1);
  return timesCost(cost, factor);
}

/** What one call of each kind costs. */
interface PricedCalls {
  readonly mining: Cost;
  readonly rollout: Cost;
  readonly analyst: Cost;
  readonly verdict: Cost;
}

function priceCalls(tasks: number, input: NightEstimateInput): PricedCalls {
  const { train, measured, prices, isAgent } = input;
  const sizes = textSizes(input);
  const reply = repliesOf(input, tasks, sizes.task);
  const call = (role: Role, tokens: number, output: number, known?: MeasuredReplies): Cost => {
    const usage = {
      inputTokens: Math.round(tokens),
      outputTokens: Math.round(output),
      cachedInputTokens: Math.round((known?.cachedShare ?? 0) * tokens),
    };
    return { nanoUsd: costOf(usage, prices[role]), tokens: usage.inputTokens + usage.outputTokens, calls: 1 };
  };
  const system = (prompt: Parameters<typeof systemText>[0]) => tokensOf(systemText(prompt, train.prompts));
  const failures = (failing * tasks) / 2 / Math.max(input.documents.length, 1);
  const shown =
    Math.min(Math.max(failures, 1), train.minibatchSize) * (sizes.task + reply.target + headTokens);
  return {
    mining: call("miner", system(mine) + sizes.conversation, reply.miner, measured.miner),
    rollout: isAgent
      ? middleCost(estimateAgentRollout(measured.agent, prices.target))
      : call("target", sizes.documents + sizes.task, reply.target, measured.target),
    analyst: call("optimizer", system(analystError) + sizes.documents + shown, reply.optimizer),
    verdict: call(
      "judge",
      system(judgePrompt) + sizes.task + reply.target + headTokens,
      reply.judge,
      measured.judge,
    ),
  };
}

/** What stands around a text in a prompt: ids, scores, fences. */
const headTokens = 50;

const priceNight = (
  { mining, rollouts, analysts, judged, calibration }: NightCalls,
  priced: PricedCalls,
  models: number,
): RoleCosts => ({
  // signs of life are small; whoever gives them counts as the miner
  miner: addCost(timesCost(priced.mining, mining), { ...noCost, calls: models }),
  target: timesCost(priced.rollout, rollouts),
  optimizer: timesCost(priced.analyst, analysts),
  judge: timesCost(priced.verdict, judged + calibration),
});

/** Mean tokens of what is sent. */
function textSizes({ conversations, documents, archive, tasks }: NightEstimateInput) {
  const known = [...(tasks ?? []), ...archive].map(({ task }) => task.input);
  const prompts = conversations.flatMap(({ turns }) =>
    turns.slice(0, 1).map(({ prompt }) => prompt.slice(0, 1200)),
  );
  return {
    conversation: mean(conversations.map((digest) => tokensOf(conversationText(digest)))),
    documents: documents.reduce((sum, { skill }) => sum + tokensOf(skillText(skill)), 0),
    task: mean((known.length > 0 ? known : prompts).map(tokensOf)),
  };
}

/**
 * Tokens of a reply: measured, or what it has to say. The target's is then as long as agents answered in the
 * conversations; the others' hold a few sentences and JSON. Whoever thinks aloud writes more, which the first night shows.
 */
function repliesOf(
  { conversations, settings, train, measured }: NightEstimateInput,
  tasks: number,
  task: number,
): Readonly<Record<Role, number>> {
  const answers = conversations.flatMap(({ turns }) => turns.map(({ answer }) => tokensOf(answer)));
  const found = tasks / Math.max(conversations.length, 1);
  const heard = estimateOptimizerReply("analyst", "reflect", measured.optimizer, singleFileSkill(""), train);
  return {
    // the request, other wordings of it, its checks and quotes
    miner: measured.miner?.outputTokens ?? frameTokens + found * (minedTokens + 3 * task),
    target: measured.target?.outputTokens ?? Math.min(Math.max(mean(answers), 20), train.targetMaxTokens),
    optimizer: measured.optimizer.size > 0 ? middle(heard) : frameTokens + settings.editBudget * editTokens,
    judge: measured.judge?.outputTokens ?? frameTokens,
  };
}

const [frameTokens, minedTokens, editTokens] = [80, 120, 70];

const tokensOf = (text: string): number => byteLength(text) / bytesPerToken;

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

const middle = ({ low, high }: Range): number => Math.sqrt(low * high);

const middleCost = ({ low, high }: { readonly low: Cost; readonly high: Cost }): Cost => ({
  nanoUsd: middle(range(low.nanoUsd, high.nanoUsd)),
  tokens: middle(range(low.tokens, high.tokens)),
  calls: middle(range(low.calls, high.calls)),
});

const timesCost = ({ nanoUsd, tokens, calls }: Cost, count: number): Cost => ({
  nanoUsd: Math.round(nanoUsd * count),
  tokens: Math.round(tokens * count),
  calls: Math.round(calls * count),
});
