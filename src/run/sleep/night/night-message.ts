import { priceOf } from "../../../adapters/models/prices.ts";
import type { Resolved } from "../../../config/resolve/resolved.ts";
import { formatUsd } from "../../../core/work/spend.ts";
import { capsOf } from "../../verbs/plan.ts";
import type { RunPlan } from "../../verbs/run-plan.ts";
import type { SleepState } from "../state.ts";
import type { PinnedNight } from "./pin-night.ts";

export interface NightMessageInput {
  readonly pinned: Pick<PinnedNight, "conversations" | "tasks">;
  readonly state: SleepState;
  readonly resolved: Resolved;
}

/** What a night will take, what that rests on, and what the caps make of it. */
export function nightMessage(
  { calls, tokens, price }: Pick<RunPlan, "calls" | "tokens" | "price">,
  { pinned, state, resolved }: NightMessageInput,
): string {
  const { models, prices, spend } = resolved;
  const expected = Math.round(pinned.conversations.length * tasksPerConversation(state));
  const what =
    pinned.tasks === undefined
      ? `${count(pinned.conversations.length, "conversation")}, about ${count(expected, "task")}`
      : count(pinned.tasks.length, "task");
  const nights = Math.min(state.nights.length, recentNights);
  const basis =
    nights === 0
      ? "a guess: no night of this project has ended yet"
      : `corrected by what ${nights === 1 ? "the last night" : `the last ${nights} nights`} took`;
  const free = [...new Set(Object.values(models))].filter((id) => priceOf(id, prices) === undefined);
  const caps = capsOf(resolved);
  const names = [
    ...caps.map(({ name }) => name),
    ...(spend.minutes === undefined ? [] : [`${spend.minutes} minutes`]),
  ];
  const least = { nanoUsd: price.low, calls: calls.low, tokens: tokens.low };
  const short = caps.find(({ unit, most }) => most < least[unit]);
  return [
    `${what}: ${calls.low} to ${calls.high} calls, ${formatUsd(price.low)} to ${formatUsd(price.high)} (${basis}).`,
    ...(free.length === 0
      ? []
      : [`Nobody knows the price of ${free.join(" and ")}, which counts as free here.`]),
    ...(names.length === 0 ? [] : [`It takes no more than the cap of ${names.join(" and ")}.`]),
    ...(short === undefined
      ? []
      : [
          `The cap of ${short.name} is below that: the night will stop there with nothing staged, and goes on once the cap is raised.`,
        ]),
  ].join(" ");
}

/** Most conversations hold one task or none; what this person's held counts for more with every night. */
export function tasksPerConversation({ nights }: SleepState): number {
  const recent = nights.slice(-recentNights);
  const tasks = recent.reduce((sum, night) => sum + night.tasks, 0);
  const conversations = recent.reduce((sum, night) => sum + night.conversations, 0);
  return (tasks + usualTasks * priorWeight) / (conversations + priorWeight);
}

const [recentNights, priorWeight, usualTasks] = [5, 5, 0.8];

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
