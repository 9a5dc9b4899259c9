import type { Redis } from "ioredis";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import type { Handlers } from "../../core/work/handlers.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { Unit } from "../../core/work/unit.ts";
import { type Pace, createPaces } from "../executors/pace.ts";
import { type FleetBudget, fleetBudget } from "./fleet-budget.ts";
import { type FleetJob, openSettings } from "./fleet-job.ts";
import { fleetKeys } from "./fleet-keys.ts";
import type { FleetSeal } from "./fleet-seal.ts";
import { UnableError } from "./unable-workers.ts";

export interface RunToOpen {
  readonly run: string;
  readonly settings: JsonObject;
  readonly seal: FleetSeal;
  readonly redis: Redis;
  readonly budget: FleetBudget;
  readonly emit: (event: EventBody) => void;
}

/** A run as a worker sees it. */
export interface WorkerRun {
  readonly handlers: Handlers;
  readonly journal: Journal;
  /** Why this machine can't do a unit that another machine may be able to do. */
  readonly unable?: (unit: Unit) => WhetstoneError | undefined;
  /** The time limit for one model call. @default "auto" */
  readonly callSeconds?: number | "auto";
  close(): Promise<void>;
}

/** The run and the hash of its settings. */
type RunName = Pick<FleetJob, "run" | "settings">;

export interface OpenedRun extends WorkerRun, RunName {
  readonly budget: FleetBudget;
  readonly emit: (event: EventBody) => void;
  readonly paceOf: (lane: string) => Pace;
  /** Units in flight. */
  active: number;
}

export interface OpenedRunsOptions {
  readonly redis: Redis;
  /** Its id. */
  readonly worker: string;
  readonly clock: Clock;
  readonly seal: FleetSeal;
  readonly openRun: (run: RunToOpen) => Promise<WorkerRun>;
  /** Reports events to a run's coordinator. */
  readonly tell: (run: string) => (event: EventBody) => void;
}

export interface OpenedRuns {
  /** Throws `RefusedJob` if Redis doesn't have these settings of the run, signed. */
  get(job: RunName): Promise<OpenedRun>;
  /** Opens it again for the next unit; work in progress isn't disturbed. */
  retire(job: RunName): void;
  closeEnded(): Promise<void>;
  close(): Promise<void>;
}

/** Each run is opened once per version of its settings, and closed when its coordinator is gone. */
export function openedRuns({ redis, worker, clock, seal, openRun, tell }: OpenedRunsOptions): OpenedRuns {
  const open = new Map<string, Promise<OpenedRun>>();
  const retired = new Set<OpenedRun>();
  // one for every time this worker opens the run: its steps are counted on, or bookings would look repeated
  const budgets = new Map<string, FleetBudget>();
  const budgetOf = (run: string): FleetBudget => {
    const budget = budgets.get(run) ?? fleetBudget(redis, run, worker, clock);
    budgets.set(run, budget);
    return budget;
  };
  const begin = async (name: RunName): Promise<OpenedRun> => {
    const { run } = name;
    const written = await redis.get(fleetKeys.run(run));
    if (written === null) throw new InfraError("transport", `The run ${run} has ended.`);
    const settings = openSettings(seal, written, name);
    const budget = budgetOf(run);
    const emit = tell(run);
    const opened = await openRun({ run, settings, seal, redis, budget, emit }).catch((error) => {
      throw error instanceof WhetstoneError ? new UnableError(error) : error;
    });
    const paceOf = createPaces(opened.callSeconds);
    return { ...opened, run, settings: name.settings, budget, emit, paceOf, active: 0 };
  };
  /** Whether its coordinator still says so. */
  const isAlive = async (name: RunName): Promise<boolean> => {
    const written = await redis.get(fleetKeys.run(name.run));
    try {
      return written !== null && openSettings(seal, written, name) !== undefined;
    } catch {
      return false;
    }
  };
  return {
    get({ run, settings }) {
      const name = `${run} ${settings}`;
      const known = open.get(name);
      if (known !== undefined) return known;
      const opening = begin({ run, settings });
      open.set(name, opening);
      opening.catch(() => open.delete(name));
      return opening;
    },
    retire({ run, settings }) {
      const name = `${run} ${settings}`;
      open.get(name)?.then(
        (opened) => retired.add(opened),
        () => {},
      );
      open.delete(name);
    },
    async closeEnded() {
      for (const opened of retired) {
        if (opened.active > 0) continue;
        retired.delete(opened);
        await opened.close();
      }
      for (const [name, opening] of open) {
        const opened = await opening;
        if (opened.active > 0 || (await isAlive(opened))) continue;
        if (opened.active > 0) continue;
        open.delete(name);
        await opened.close();
      }
    },
    async close() {
      for (const opened of retired) await opened.close().catch(() => {});
      for (const opening of open.values()) await opening.then((opened) => opened.close()).catch(() => {});
    },
  };
}
