import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { plural } from "../../core/plural.ts";
import type { Range } from "../../core/rehearse/range.ts";
import { type UsualFinds, guessedFinds } from "../../core/prompts/prompt.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import { formatUsd } from "../../core/work/spend.ts";
import { capsOf } from "../../run/verbs/plan.ts";
import type { RunPlan } from "../../run/verbs/run-plan.ts";
import type { SleepState } from "../state.ts";
import type { SleepPlace } from "../place.ts";
import { joinTook } from "./night-took.ts";
import type { PinnedNight } from "./pin-night.ts";
import { asksWordsOnly } from "./words-only.ts";

export interface NightMessageInput {
  readonly pinned: Pick<PinnedNight, "conversations" | "tasks">;
  readonly state: SleepState;
  readonly resolved: Resolved;
  readonly place: Pick<SleepPlace, "settings">;
}

/** A night's expected cost, the basis of the estimate, and its caps. */
export function nightMessage(
  { calls, tokens, price, stages }: Pick<RunPlan, "calls" | "tokens" | "price" | "stages">,
  { pinned, state, resolved, place: { settings: sleep } }: NightMessageInput,
): string {
  const { models, prices, spend, logins = [] } = resolved;
  const expected = Math.round(pinned.conversations.length * usualFinds(state).tasksPerConversation);
  const what =
    pinned.tasks === undefined
      ? `${plural(pinned.conversations.length, "conversation")}, about ${plural(expected, "task")}`
      : plural(pinned.tasks.length, "task");
  const nights = Math.min(state.nights.length, recentNights);
  const basis =
    nights === 0
      ? "a guess: no night of this project has finished yet"
      : `based on ${nights === 1 ? "the last night" : `the last ${nights} nights`}`;
  const free = [...new Set(Object.values(models))].filter(
    (id) => priceOf(id, prices) === undefined && !logins.includes(id) && !isHandoff(id),
  );
  const shares = Object.fromEntries(
    [...Map.groupBy(stages, ({ role }) => role)].map(([role, own]) => [
      role,
      own.reduce((sum, stage) => sum + stage.calls.low + stage.calls.high, 0) / 2,
    ]),
  );
  const took = joinTook(
    `${fromTo(calls, String)} calls`,
    fromTo(price, formatUsd),
    price.high > 0,
    shares,
    resolved,
  );
  const caps = capsOf(resolved);
  const names = [
    ...caps.map(({ name }) => name),
    ...(spend.minutes === undefined ? [] : [`${spend.minutes} minutes`]),
  ];
  const least = { nanoUsd: price.low, calls: calls.low, tokens: tokens.low };
  const short = caps.find(({ unit, most }) => most < least[unit]);
  return [
    `${what}: ${took} (${basis}).`,
    ...(asksWordsOnly(sleep, models)
      ? ["Nothing is measured if you answer by hand: --by-hand all asks for every rollout too."]
      : []),
    ...(free.length === 0 ? [] : [`The price of ${free.join(" and ")} is unknown and counts as free here.`]),
    ...(names.length === 0 ? [] : [`It stays within the cap of ${names.join(" and ")}.`]),
    ...(short === undefined
      ? []
      : [
          `The cap of ${short.name} is lower than that: the night will stop there without proposals, and can go on once the cap is raised.`,
        ]),
  ].join(" ");
}

const fromTo = ({ low, high }: Range, show: (value: number) => string): string =>
  show(low) === show(high) ? show(low) : `${show(low)} to ${show(high)}`;

/** Expected finds. Earlier nights count more with every night. Most conversations contain one task or none. */
export function usualFinds({ nights, archive }: Pick<SleepState, "nights" | "archive">): UsualFinds {
  const recent = nights.slice(-recentNights);
  const tasks = recent.reduce((sum, night) => sum + night.tasks, 0);
  const conversations = recent.reduce((sum, night) => sum + night.conversations, 0);
  const plain = archive.filter(({ kind }) => kind === "task").length;
  const checks = archive.flatMap(({ task }) => task.checks ?? []);
  return {
    tasksPerConversation: (tasks + prior * guessedFinds.tasksPerConversation) / (conversations + prior),
    plain: (plain + prior * guessedFinds.plain) / (archive.length + prior),
    rubrics: checks.flatMap(({ kind, value }) =>
      kind === "rubric" && typeof value === "string" ? value : [],
    ),
  };
}

/** The share of stated or proven rules that were adopted. */
export function adoptedShare({ rules }: Pick<SleepState, "rules">): number {
  const known = rules.filter(({ status }) => ["adopted", "proven", "stated"].includes(status));
  return known.filter(({ status }) => status === "adopted").length / Math.max(known.length, 1);
}

const [recentNights, prior] = [5, 5];
