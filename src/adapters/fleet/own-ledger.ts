import { WhetstoneError } from "../../core/errors.ts";
import { readLedger } from "../../core/work/ledger.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { type Cost, addCost, noCost, subtractCost, readCost } from "../../core/cost.ts";
import type { Entry, Journal } from "../../core/ports/journal.ts";
import type { SpendCaps } from "../../core/settings.ts";
import { createSpend } from "../../core/work/spend.ts";
import type { FleetBudget } from "./fleet-budget.ts";

/**
 * The coordinator's own record of a run's spending, from the journal and the results it reads. The budget in Redis is
 * faster, but anyone who can write there can reset it, so nothing is sent that could exceed the cap by this record.
 */
export interface OwnLedger {
  /** Waits as a single process does. Throws `spend-cap` only after reading the whole journal. */
  reserve(worst: Cost): Promise<void>;
  settle(worst: Cost, actual: Cost): void;
  /** Reads bookings for calls that gave no result, and for calls inside rollouts. */
  catchUp(): Promise<void>;
  /** Catches up, and reminds Redis of the caps and of the least that is spent. */
  uphold(): Promise<void>;
  /** The same from the whole journal, because Redis was away and may have forgotten a second. */
  upholdAll(): Promise<void>;
  spent(): Cost;
  /** The same from the whole journal, including work that dead workers had started. */
  booked(): Promise<Cost>;
}

export interface OwnLedgerOptions {
  readonly run: string;
  readonly journal: Journal;
  readonly budget: FleetBudget;
  readonly caps: SpendCaps;
  readonly clock: Clock;
  /** The amount the journal has booked up to this entry. */
  readonly already: Cost;
  readonly after: number;
}

export function ownLedger({ run, journal, budget, caps, clock, ...start }: OwnLedgerOptions): OwnLedger {
  const started = clock.now();
  const elapsedMs = () => clock.now() - started;
  const spend = createSpend({ caps, already: start.already, elapsedMs });
  const catchUp = oneAtATime(readNews);
  const correct = oneAtATime(readAll);
  let { after } = start;

  function capsLeft(): SpendCaps {
    const { minutes, ...rest } = caps;
    return minutes === undefined ? rest : { ...rest, minutes: minutes - elapsedMs() / 60_000 };
  }

  async function* noted(entries: AsyncIterable<Entry>): AsyncIterable<Entry> {
    for await (const entry of entries) {
      after = Math.max(after, entry.seq);
      yield entry;
    }
  }

  async function readNews(): Promise<void> {
    let booked = noCost;
    for await (const { body } of noted(journal.read({ run, kinds: unpaired, after })))
      if (body["metered"] !== true) booked = addCost(booked, readCost(body["cost"]));
    spend.settle(noCost, booked);
  }

  async function readAll(): Promise<void> {
    const { spent } = await readLedger(noted(journal.read({ run })));
    spend.settle(noCost, subtractCost(spent, spend.spent()));
  }

  return {
    async reserve(worst) {
      try {
        await spend.reserve(worst);
      } catch (error) {
        if (!(error instanceof WhetstoneError)) throw error;
        // work that earlier workers had started was counted at worst case
        await correct();
        await spend.reserve(worst);
      }
    },
    settle: (worst, actual) => spend.settle(worst, actual),
    catchUp,
    async uphold() {
      await catchUp();
      // no version is empty: as while calls are in flight, it may only rise
      await budget.open({ caps: capsLeft(), already: spend.spent(), version: "" });
    },
    async upholdAll() {
      const version = await budget.version();
      const { spent } = await readLedger(journal.read({ run }));
      await budget.open({ caps: capsLeft(), already: spent, version });
    },
    spent: () => spend.spent(),
    async booked() {
      await correct();
      return spend.spent();
    },
  };
}

/** Costs that aren't in any result. */
const unpaired = ["failure", "duplicate", "metered"] as const;

/** Callers that arrive while it runs wait for that run, and then for one more. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => (running === undefined ? begin() : (next ??= running.then(begin, begin)));
}
