import type { Redis } from "ioredis";
import type { Place } from "../../core/place.ts";
import { InfraError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import { type Handlers, findHandler } from "../../core/handlers.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Dispatch, Executed, Executor } from "../../core/ports/executor.ts";
import type { Cost } from "../../core/cost.ts";
import type { Entry, Journal } from "../../core/ports/journal.ts";
import type { FleetBudget } from "../fleet/fleet-budget.ts";
import { fleetKeys } from "../fleet/fleet-keys.ts";
import { FailedUnit, type FleetLane, fleetLane } from "../fleet/fleet-lane.ts";
import { laneLimit } from "../fleet/lane-limit.ts";
import { readWorkers } from "../fleet/read-workers.ts";
import { type ClientPolicy, defaultPolicy, isOnlyAhead, refusalOf } from "./local.ts";

export interface BullmqExecutorOptions {
  readonly redis: Redis;
  readonly run: string;
  readonly journal: Journal;
  readonly budget: FleetBudget;
  readonly clock: Clock;
  readonly handlers: Handlers;
  readonly emit: (event: EventBody) => void;
  /** Units in flight per provider and model, over all workers. @default "auto" */
  readonly concurrency?: number | "auto";
  readonly settings: RunSettings;
  /** Where a unit belongs in the run's trace. */
  readonly trace?: ((place: Place) => string | undefined) | undefined;
  /** Aborted: nothing new begins. */
  readonly signal: AbortSignal;
  /** Aborted: units in flight are no longer waited for. */
  readonly hardSignal: AbortSignal;
  /** Called with the first error that no retry can mend: the whole run must stop. */
  readonly stop: (error: Error) => void;
  readonly policy?: Partial<ClientPolicy>;
}

/** What workers need to run this run's units. */
export interface RunSettings {
  readonly hash: string;
  /** Missing inside a worker: the coordinator has written it down. */
  readonly json?: JsonObject;
}

export interface BullmqExecutor extends Executor {
  /** Resolves when no unit is in flight. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const sweepMs = 2000;
/** Workers forget a run whose coordinator is gone for so long. */
const runMs = 60_000;
const leastWindow = 64;

/** Hands units to workers on any machine; their results come back through the shared journal. */
export async function bullmqExecutor(options: BullmqExecutorOptions): Promise<BullmqExecutor> {
  const { redis, run, journal, budget, clock, handlers, emit, settings, signal, hardSignal } = options;
  const { concurrency = "auto" } = options;
  const isCoordinator = settings.json !== undefined;
  const policy = { ...defaultPolicy, ...options.policy };
  const lanes = new Map<string, Promise<FleetLane>>();
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let window = leastWindow;
  let hasWorkers = true;

  /** Units that ended too many workers since this execution began. */
  const parked = new Map<string, Error>();
  await beThere();
  const heard = isCoordinator ? await hearWorkers(redis, run, emit) : undefined;
  await readWindow();
  const sweeping = sweepForever();
  signal.addEventListener("abort", () => void cancelAll(), { once: true });

  async function openLane(name: string): Promise<FleetLane> {
    await laneLimit(redis, name, policy).ask(run, concurrency, runMs);
    return fleetLane(redis, name, window);
  }

  function laneFor(name: string): Promise<FleetLane> {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const lane = openLane(name);
    lanes.set(name, lane);
    lane.catch(() => lanes.delete(name));
    return lane;
  }

  async function beThere(): Promise<void> {
    if (isCoordinator) await redis.set(fleetKeys.run(run), JSON.stringify(settings.json), "PX", runMs);
  }

  async function readWindow(): Promise<void> {
    const workers = await readWorkers(redis);
    window = Math.max(leastWindow, 2 * workers.reduce((sum, { concurrency: most }) => sum + most, 0));
    if (!isCoordinator || workers.length > 0 === hasWorkers) return;
    hasWorkers = workers.length > 0;
    const message = hasWorkers ? "workers are there" : "no worker is there: start `whetstone worker`";
    emit({ type: "lane-change", lane: "fleet", state: hasWorkers ? "closed" : "open", limit: 0, message });
  }

  async function sweepForever(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await clock.sleep(sweepMs, closing.signal);
        await beThere();
        await readWindow();
        for (const [name, opened] of lanes) {
          const lane = await opened;
          await laneLimit(redis, name, policy).ask(run, concurrency, runMs);
          lane.setWindow(window);
          await lane.sweep();
        }
      } catch {
        // Redis or the journal is away for a moment: the next round asks again
      }
    }
  }

  async function cancelAll(): Promise<void> {
    for (const lane of lanes.values())
      await lane.then((one) => one.cancel(signal.reason as Error)).catch(() => {});
  }

  async function execute({ unit, key, place, signal: wanted }: Dispatch): Promise<Executed> {
    signal.throwIfAborted();
    const laneName = findHandler(handlers, unit).lane(unit.input);
    const lane = await laneFor(laneName);
    signal.throwIfAborted();
    const known = parked.get(key);
    if (known !== undefined) throw known;
    const trace = options.trace?.(place);
    try {
      const done = await lane.send(
        { key, unit, place, ...(trace === undefined ? {} : { trace }) },
        {
          run,
          settings: settings.hash,
          tries: place.once === true ? 1 : policy.tries,
          urgency: place,
          // the end of the run takes back all of them at once
          ...(place.ahead !== undefined ? { signal: wanted } : {}),
          isRecorded: async () => (await journal.get(key)) !== undefined,
        },
      );
      budget.hear(done.budget);
    } catch (error) {
      throw explain(laneName, error, { key, place, wanted });
    }
    return readExecuted(await readResult(key));
  }

  function explain(
    lane: string,
    thrown: unknown,
    { key, place, wanted }: Pick<Dispatch, "key" | "place"> & { readonly wanted: AbortSignal },
  ): unknown {
    if (!(thrown instanceof FailedUnit)) return thrown;
    const { error, budget: seen, isParked = false } = thrown.failure;
    if (isParked) parked.set(key, error);
    if (seen !== undefined) budget.hear(seen);
    if (error instanceof InfraError && !error.stopsRun) return error;
    const fatal = error instanceof InfraError ? refusalOf(lane, error) : error;
    if (!wanted.aborted && !isOnlyAhead(error, place)) options.stop(fatal);
    return fatal;
  }

  async function readResult(key: string): Promise<Entry> {
    const entry = await journal.get(key);
    if (entry === undefined) throw new InfraError("transport", "The worker's result is not in this journal.");
    // another run may be removed later; this entry keeps what we rely on
    if (entry.run !== run) await journal.write({ kind: "use", run, key, name: "", body: {} });
    return entry;
  }

  return {
    execute(dispatch) {
      const work = orGiveUp(execute(dispatch), hardSignal);
      running.add(work);
      const forget = () => running.delete(work);
      work.then(forget, forget);
      return work;
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
    async close() {
      closing.abort();
      await sweeping;
      for (const [name, opened] of lanes) {
        await (await opened).close();
        if (isCoordinator) await redis.hdel(fleetKeys.ceilings(name), run);
      }
      heard?.disconnect();
      if (isCoordinator) await redis.del(fleetKeys.run(run));
    },
  };
}

/** What workers see while the run goes on is told here, as if it had happened in this process. */
async function hearWorkers(redis: Redis, run: string, emit: (event: EventBody) => void): Promise<Redis> {
  const subscriber = redis.duplicate();
  subscriber.on("error", () => {});
  subscriber.on("message", (_, text: string) => emit(JSON.parse(text) as EventBody));
  await subscriber.subscribe(fleetKeys.runEvents(run));
  return subscriber;
}

function readExecuted({ body }: Entry): Executed {
  return {
    output: body["output"] as Json,
    cost: body["cost"] as unknown as Cost,
    ms: Number(body["ms"]),
    tries: Number(body["tries"]),
  };
}

function orGiveUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
