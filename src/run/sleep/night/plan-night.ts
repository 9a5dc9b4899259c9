import { existsSync } from "node:fs";
import { join } from "node:path";
import { sqliteJournal } from "../../../adapters/journals/sqlite/sqlite.ts";
import { priceOf } from "../../../adapters/models/prices.ts";
import type { Resolved } from "../../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { MeasuredModels } from "../../../core/rehearse/measured-models.ts";
import type { Range } from "../../../core/rehearse/range.ts";
import type { Journal } from "../../../core/ports/journal.ts";
import type { Role } from "../../../core/ports/model.ts";
import { type NightEstimate, estimateNight } from "../../../core/sleep/night/estimate-night.ts";
import { formatUsd } from "../../../core/work/spend.ts";
import { readMeasuredModels } from "../../session/measured-models.ts";
import { capsOf } from "../../verbs/plan.ts";
import { readConsent } from "../consent.ts";
import type { LookedAhead } from "./look-ahead.ts";
import type { Gathered } from "./pin-night.ts";
import type { SleepPlace } from "../place.ts";
import { resolveNight } from "./resolve-night.ts";
import type { SleepState } from "../state.ts";

export interface NightPlanInput {
  readonly place: SleepPlace;
  readonly gathered: Pick<Gathered, "conversations" | "tasks" | "documents">;
  readonly state: SleepState;
  readonly resolved: Resolved;
  /** Replies in it make the estimate better. */
  readonly journal?: Journal;
}

export interface NightPlan extends NightEstimate {
  /** For a person. */
  readonly message: string;
}

/** What a night will take, from what it is about to read and from what earlier ones took. No call. */
export async function planNight(input: NightPlanInput): Promise<NightPlan> {
  const { place, gathered, state, resolved, journal } = input;
  const { models, prices, settings, isAgent = false } = resolved;
  const measured: MeasuredModels =
    journal === undefined ? { optimizer: new Map() } : await readMeasuredModels(journal, models);
  const { conversations, tasks, documents } = gathered;
  const price = (role: Role) => priceOf(models[role], prices) ?? { input: 0, output: 0 };
  const estimate = estimateNight({
    conversations,
    tasks,
    documents,
    rules: state.rules,
    archive: state.archive,
    settings: place.settings,
    nights: state.nights,
    train: settings,
    measured,
    prices: {
      miner: price("miner"),
      target: price("target"),
      optimizer: price("optimizer"),
      judge: price("judge"),
    },
    isAgent,
    models: state.nights.length > 0 ? 0 : new Set(Object.values(models)).size,
  });
  return { ...estimate, message: planMessage(estimate, input) };
}

/** The range, what it rests on, and what the caps make of it. */
function planMessage(
  { calls, nanoUsd, tasks, nights }: NightEstimate,
  { gathered, resolved }: NightPlanInput,
): string {
  const { models, prices, spend } = resolved;
  const what =
    gathered.tasks === undefined
      ? `${count(gathered.conversations.length, "conversation")}, about ${count(Math.round(tasks), "task")}`
      : count(tasks, "task");
  const basis =
    nights === 0
      ? "a guess: no night of this project has ended yet"
      : `corrected by what ${nights === 1 ? "the last night" : `the last ${nights} nights`} took`;
  const free = [...new Set(Object.values(models))].filter((id) => priceOf(id, prices) === undefined);
  const caps = capsOf(resolved).map(({ name }) => name);
  const minutes = spend.minutes === undefined ? [] : [`${spend.minutes} minutes`];
  const short = capsOf(resolved).find(({ unit, most }) => {
    const least = { nanoUsd: nanoUsd.low, calls: calls.low, tokens: 0 }[unit];
    return most < least;
  });
  return [
    `${what}: ${calls.low} to ${calls.high} calls, ${money(nanoUsd)} (${basis}).`,
    ...(free.length === 0
      ? []
      : [`Nobody knows the price of ${free.join(" and ")}, which counts as free here.`]),
    ...(caps.length + minutes.length === 0
      ? []
      : [`It takes no more than the cap of ${[...caps, ...minutes].join(" and ")}.`]),
    ...(short === undefined
      ? []
      : [
          `The cap of ${short.name} is below that: the night will stop there with nothing staged, and goes on once the cap is raised.`,
        ]),
  ].join(" ");
}

const money = ({ low, high }: Range): string => `${formatUsd(low)} to ${formatUsd(high)}`;

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;

/** What the next night would take, said without a call and without a trace; why it cannot be said, where models are missing. */
export async function planAhead(
  { place, state, redactor, ...gathered }: LookedAhead,
  cwd: string,
): Promise<NightPlan | string> {
  if (gathered.conversations.length === 0) return "Nobody would be called.";
  const consent = readConsent(place.journalDir);
  let resolved: Resolved;
  try {
    resolved = await resolveNight({ place, consent, redactor, commits: [] }, { cwd, onGuess: undefined });
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    return `What it would cost cannot be said: ${error.message}`;
  }
  const isThere = existsSync(join(place.journalDir, "journal.db"));
  const journal = isThere ? await sqliteJournal({ dir: place.journalDir, readOnly: true }) : undefined;
  try {
    return await planNight({
      place,
      gathered,
      state,
      resolved,
      journal,
    });
  } finally {
    await journal?.close();
    await resolved.close?.();
  }
}
