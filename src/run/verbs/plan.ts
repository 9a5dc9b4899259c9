import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Cost, CostUnit } from "../../core/cost.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { EventBody, RunCommand } from "../../core/events.ts";
import { stageOrder } from "../../core/place.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import { makeForecast } from "../../core/rehearse/course.ts";
import { guessedAgent, usualAgent } from "../../core/rehearse/imagine.ts";
import type { MeasuredModels } from "../../core/rehearse/measured-models.ts";
import { type Range, multiplyRanges, range } from "../../core/rehearse/range.ts";
import type { Rehearsal } from "../../core/rehearse/rehearse.ts";
import { formatUsd } from "../../core/work/spend.ts";
import { findUnknownPrices } from "./prepare.ts";
import { type OpenRehearsal, openRehearsal } from "./rehearse-verb.ts";
import type { RunPlan, StagePlan } from "./run-plan.ts";
import type { Rehearsable } from "./verb.ts";

/** A plan is the spread of some twenty rehearsals. Results of the same models in the journal make it narrower. */
export async function planVerb(
  verb: Rehearsable,
  journal?: Journal,
  onSoFar?: (plan: RunPlan) => void,
): Promise<RunPlan> {
  const rehearsing = await openRehearsal(verb, journal);
  const spreadOver = (all: readonly Rehearsal[]) => planFrom(verb, rehearsing.measured, all);
  return spreadOver(await rehearseSome(rehearsing, (all) => onSoFar?.(spreadOver(all))));
}

function planFrom(verb: Rehearsable, measured: MeasuredModels, all: readonly Rehearsal[]): RunPlan {
  const { resolved } = verb;
  const { models, near, prices, concurrency } = resolved;
  const roles = allRoles.filter((role) => all.some(({ stages }) => stages.some((one) => one.role === role)));
  const unheard = roles.filter(
    (role) =>
      heardOf(role, measured, resolved) === undefined && measured.timed?.[role]?.outputTokens === undefined,
  );
  const untimed = roles.filter(
    (role) => (heardOf(role, measured, resolved)?.ms ?? measured.timed?.[role]?.ms) === undefined,
  );
  const isTimed = guessedShare(untimed, all) < little;
  const isLater = verb.hints?.finds !== undefined;
  // the length of a pruning's test isn't known until its noise is measured
  const isKnown = guessedShare(unheard, all) < (isLater ? half : little) && verb.command !== "prune";
  const widest = isKnown ? widestMeasured : widestGuessed;
  // nights differ by what people said and adopted, more than by their random draws
  const room = isKnown && verb.command !== "sleep" ? 1.12 : 1.25;
  const spread = (pick: (one: Rehearsal) => number, most = widest) => spreadOf(all.map(pick), room, most);
  const modelsOf = (some: readonly Role[]) => [...new Set(some.map((role) => models[role]))];
  const byRole = (role: Role) =>
    spreadOf(all.map((one) => sumOf(one, (stage) => stage.role === role).nanoUsd));
  const price = spread(({ cost }) => cost.nanoUsd);
  return {
    command: verb.command,
    rollouts: spread(({ rollouts }) => rollouts),
    calls: spread(({ cost }) => cost.calls, isLater ? widestMeasured : widest),
    tokens: spread(({ cost }) => cost.tokens),
    price: {
      ...price,
      byRole: {
        target: byRole("target"),
        optimizer: byRole("optimizer"),
        judge: byRole("judge"),
        miner: byRole("miner"),
      },
    },
    time: spreadOf(
      all.map(({ ms, cost }) => ms + ownMs.start + ownMs.call * cost.calls),
      room,
      isTimed ? widest : undefined,
    ),
    stages: stagesOf(all),
    steps: { planned: verb.steps ?? 0, affordable: affordableSteps(verb, all) },
    measuredReplies: repliesOf(measured),
    guessed: {
      lengths: modelsOf(unheard),
      times: modelsOf(untimed),
      slots: modelsOf(roles).filter(
        (id) => concurrency === "auto" && near?.has(id) === true && measured.slots?.has(id) !== true,
      ),
    },
    rollout: resolved.isAgent === true ? rolloutOf(measured) : undefined,
    unpriced: modelsOf(roles).filter((id) => priceOf(id, prices) === undefined),
    rehearsals: all.length,
    refusal: findUnknownPrices(resolved, verb.roles) ?? findRefusal(verb, all.map(leastOf)),
  };
}

const allRoles: readonly Role[] = ["miner", "target", "optimizer", "judge"];

/** Twenty rehearsals, or fewer for a large run. */
async function rehearseSome(
  { rehearse }: OpenRehearsal,
  onSoFar?: (all: readonly Rehearsal[]) => void,
): Promise<readonly Rehearsal[]> {
  const all: Rehearsal[] = [];
  for (let [nth, count] = [0, 1]; nth < count; nth += 1) {
    all.push(await rehearse(nth));
    onSoFar?.(all);
    const calls = Math.max(all[0]?.cost.calls ?? 0, 1);
    count = Math.min(Math.max(Math.floor(mostDrawn / calls), fewest), most);
  }
  return all;
}

const [mostDrawn, fewest, most] = [16_000, 8, 20];

/**
 * A new draw falls outside the range of twenty others 1 time in 10; with a little more room, 1 time in 20. If draws are
 * further apart than `widest`, the range is that wide around their middle. The proof `plan` counts how often it holds.
 */
function spreadOf(values: readonly number[], room = 1.12, widest = Number.POSITIVE_INFINITY): Range {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) return range(low);
  const [wideLow, wideHigh] = [Math.floor(low / room), Math.ceil(high * room)];
  if (wideHigh <= widest * wideLow) return range(wideLow, wideHigh);
  const logs = values.map((value) => Math.log(Math.max(value, 1)));
  const middle = Math.exp(logs.reduce((sum, value) => sum + value, 0) / logs.length);
  return range(Math.ceil(middle / Math.sqrt(widest)), Math.floor(middle * Math.sqrt(widest)));
}

const [widestMeasured, widestGuessed] = [2.95, 5.9];

const sumOf = ({ stages }: Rehearsal, fits: (stage: Rehearsal["stages"][number]) => boolean): Cost => {
  const costs = stages.filter(fits).map(({ cost }) => cost);
  return {
    nanoUsd: costs.reduce((sum, cost) => sum + cost.nanoUsd, 0),
    tokens: costs.reduce((sum, cost) => sum + cost.tokens, 0),
    calls: costs.reduce((sum, cost) => sum + cost.calls, 0),
  };
};

/** The share of the money that rests on guesses, or of the tokens if nothing costs money. */
function guessedShare(guessed: readonly Role[], all: readonly Rehearsal[]): number {
  const sum = (fits: (role: Role) => boolean, unit: CostUnit) =>
    all.reduce((total, one) => total + sumOf(one, ({ role }) => fits(role))[unit], 0);
  const unit = sum(() => true, "nanoUsd") > 0 ? "nanoUsd" : "tokens";
  const whole = sum(() => true, unit);
  return sum((role) => guessed.includes(role), unit) / Math.max(whole, 1);
}

/** A guess is off by a factor of 2.5 at most. For later nights the range still holds if half of the money is off by that. */
const [little, half] = [0.25, 0.5];

/** A run's own overhead, as measured by the proof `growth`. */
const ownMs = { start: 400, call: 4 } as const;

/** In the order of a run. */
function stagesOf(all: readonly Rehearsal[]): readonly StagePlan[] {
  return stageOrder.flatMap((stage) =>
    allRoles.flatMap((role) => {
      const costs = all.map((one) => sumOf(one, (other) => other.stage === stage && other.role === role));
      const spread = (unit: CostUnit) => {
        const values = costs.map((cost) => cost[unit]);
        return range(Math.min(...values), Math.max(...values));
      };
      const calls = spread("calls");
      return calls.high === 0 ? [] : [{ stage, role, calls, nanoUsd: spread("nanoUsd") }];
    }),
  );
}

function repliesOf({ target, optimizer, judge, miner }: MeasuredModels): RunPlan["measuredReplies"] {
  return {
    target: target?.replies ?? 0,
    optimizer: [...optimizer.values()].reduce((sum, { replies }) => sum + replies, 0),
    judge: judge?.replies ?? 0,
    miner: miner?.replies ?? 0,
  };
}

/** The journal's data on a role's model in that role. */
function heardOf(
  role: Role,
  measured: MeasuredModels,
  { isAgent = false }: Resolved,
): { readonly ms?: number } | undefined {
  if (role === "target" && isAgent) return measured.agent;
  return role === "optimizer" ? [...measured.optimizer.values()][0] : measured[role];
}

function rolloutOf({ agent }: MeasuredModels): NonNullable<RunPlan["rollout"]> {
  const { calls, inputTokens, outputTokens } = agent ?? usualAgent;
  const doubt = agent === undefined ? range(...guessedAgent) : range(0.9, 1.12);
  const about = (value: number) => {
    const { low, high } = multiplyRanges(range(value), doubt);
    return range(Math.round(low), Math.round(high));
  };
  return {
    calls: about(calls),
    tokens: about(inputTokens + outputTokens),
    ms: about(agent?.ms ?? usualAgent.ms),
  };
}

interface Cap {
  readonly unit: CostUnit;
  readonly most: number;
  readonly name: string;
}

export const capsOf = ({ spend: { usd, tokens, calls } }: Pick<Resolved, "spend">): readonly Cap[] => [
  ...(usd === undefined ? [] : [{ unit: "nanoUsd", most: usd * 1e9, name: `$${usd}` } as const]),
  ...(tokens === undefined ? [] : [{ unit: "tokens", most: tokens, name: `${tokens} tokens` } as const]),
  ...(calls === undefined ? [] : [{ unit: "calls", most: calls, name: `${calls} calls` } as const]),
];

function affordableSteps({ resolved, steps = 0 }: Rehearsable, all: readonly Rehearsal[]): Range | null {
  const caps = capsOf(resolved);
  if (caps.length === 0 || steps === 0) return null;
  const counts = all.map((one) => {
    const paid = one.steps.filter((needed) =>
      caps.every(({ unit, most: cap }) => needed[unit] <= cap),
    ).length;
    // a search that ended early has paid for all of its steps
    return paid === one.steps.length && fits(one.needed, caps) ? steps : paid;
  });
  return range(Math.min(...counts), Math.max(...counts));
}

const fits = (needed: Cost, caps: readonly Cap[]): boolean =>
  caps.every(({ unit, most: cap }) => needed[unit] <= cap);

/** The least that a run needs to achieve anything: its first step, or all of it. */
const leastOf = ({ steps: [first], needed }: Rehearsal): Cost => first ?? needed;

/** Refuses if even the cheapest rehearsal exceeds the caps. A night isn't refused: the next one continues its work. */
function findRefusal({ resolved, command }: Rehearsable, needs: readonly Cost[]): WhetstoneError | undefined {
  const caps = capsOf(resolved);
  if (command === "sleep" || needs.some((one) => fits(one, caps))) return undefined;
  const least = (unit: CostUnit) => Math.min(...needs.map((one) => one[unit]));
  const small = caps.find(({ unit, most: cap }) => least(unit) > cap) ?? caps[0];
  if (small === undefined) return undefined;
  const needed = least(small.unit);
  const amount =
    small.unit === "nanoUsd"
      ? needed < 1e7
        ? formatUsd(needed)
        : `$${(Math.ceil(needed / 1e7) / 100).toFixed(2)}`
      : `${Math.ceil(needed)} ${small.unit}`;
  return new WhetstoneError(
    "spend-too-small",
    `${small.name} can't ${works[command] ?? "pay for this"}: it takes at least ${amount}.`,
    { hint: `Raise the cap, or ${smaller[command] ?? "use fewer tasks"}. No calls were made.` },
  );
}

const works: Readonly<Partial<Record<RunCommand, string>>> = {
  train: "finish one step",
  prune: "prune this",
  compare: "compare these",
};

const smaller: Readonly<Partial<Record<RunCommand, string>>> = {
  train: "make steps smaller: a smaller batchSize, fewer val tasks or a lower optimizerMaxTokens",
  prune: "use fewer val tasks, or pass --since with the run whose rules are in question",
  compare: "use fewer tasks or trials",
};

/** The plan and forecast from before a run. */
export interface RehearsedFirst {
  readonly plan?: EventBody & { readonly type: "plan" };
  /** Forecasts the remaining work, unless the run ends first. Undefined if rehearsals fail. */
  forecast(over: AbortSignal): Promise<(EventBody & { readonly type: "forecast" }) | undefined>;
}

/** The share of its tightest cap that a run needs, by the most expensive of a few rehearsals. Above 1 it likely stops. */
export async function shareOfCaps(verb: Rehearsable, journal: Journal | undefined): Promise<number> {
  const { minutes } = verb.resolved.spend;
  const caps = capsOf(verb.resolved);
  if (caps.length === 0 && minutes === undefined) return 0;
  const { rehearse } = await openRehearsal(verb, journal);
  let share = 0;
  for (let nth = 0; nth < fewDrawn; nth += 1) {
    const { needed, ms } = await rehearse(nth);
    const shares = caps.map(({ unit, most: cap }) => needed[unit] / cap);
    share = Math.max(share, ...shares, minutes === undefined ? 0 : ms / (60_000 * minutes));
  }
  return roomFor * share;
}

/** A few draws may miss the most expensive way a run can go. */
const [fewDrawn, roomFor] = [3, 1.25];

/**
 * Before the first call: announces the plan if the verb wants that, and refuses caps that are too small. Results that a run
 * has already bought don't count again.
 */
export async function rehearseFirst(verb: Rehearsable, journal: Journal): Promise<RehearsedFirst> {
  const { resolved, id, announce, isFree = false } = verb;
  const isQuiet = resolved.offline || isFree;
  const isResumed = await isBegun(id, journal);
  const caps = isQuiet || isResumed ? [] : capsOf(resolved);
  if (announce !== undefined) {
    const rehearsing = await openRehearsal(verb, journal);
    const all = await rehearseSome(rehearsing);
    const plan = planFrom(verb, rehearsing.measured, all);
    if (plan.refusal !== undefined && caps.length > 0) throw plan.refusal;
    const { calls, price, time } = plan;
    return {
      plan: { type: "plan", message: announce(plan), calls, nanoUsd: range(price.low, price.high), ms: time },
      forecast: async () => forecastOf(all),
    };
  }
  if (isQuiet) return { forecast: async () => undefined };
  const over = new AbortController();
  const { rehearse } = await openRehearsal(verb, journal, over.signal);
  const goOn = Promise.withResolvers<void>();
  const begun: Promise<Rehearsal>[] = [];
  const needs: Cost[] = [];
  // rehearses the first step, until one rehearsal gets there under the caps
  while (caps.length > 0 && needs.length < most && !needs.some((one) => fits(one, caps))) {
    const step = Promise.withResolvers<Cost>();
    const whole = rehearse(begun.length, (needed) => {
      step.resolve(needed);
      return goOn.promise;
    });
    begun.push(whole);
    needs.push(await Promise.race([step.promise, whole.then(leastOf)]));
  }
  const refusal = caps.length === 0 ? undefined : findRefusal(verb, needs);
  if (refusal !== undefined) throw refusal;
  return {
    async forecast(signal) {
      signal.addEventListener("abort", () => over.abort());
      try {
        goOn.resolve();
        const all = await Promise.all(begun);
        const drawn = () => all.reduce((sum, { cost }) => sum + cost.calls, 0);
        // results that are already bought leave little to simulate
        const enough = isResumed ? 1 : mostForecast;
        while (all.length === 0 || (all.length < enough && drawn() < drawnForecast))
          all.push(await rehearse(all.length));
        return forecastOf(all);
      } catch {
        // a run doesn't need a forecast
        return undefined;
      }
    },
  };
}

const [mostForecast, drawnForecast] = [3, 400];

const forecastOf = (all: readonly Rehearsal[]) =>
  ({ type: "forecast", forecast: makeForecast(all.map(({ course }) => course)) }) as const;

async function isBegun(run: string, journal: Journal): Promise<boolean> {
  for await (const _ of journal.read({ run, kinds: ["result", "use"] })) return true;
  return false;
}
