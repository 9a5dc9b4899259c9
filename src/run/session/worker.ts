import { existsSync } from "node:fs";
import { type BullmqExecutorOptions, bullmqExecutor } from "../../adapters/executors/bullmq.ts";
import { type FleetWorker, type FleetWorkerOptions, fleetWorker } from "../../adapters/fleet/fleet-worker.ts";
import { fleetSeal } from "../../adapters/fleet/fleet-seal.ts";
import type { RunToOpen, WorkerRun } from "../../adapters/fleet/opened-runs.ts";
import { isLoopbackHost } from "../../adapters/is-loopback-host.ts";
import { databasePath } from "../../adapters/journals/sqlite/open-sqlite.ts";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import { journalPlace } from "../../config/journal-place.ts";
import { isPostgresAddress } from "../../adapters/journals/postgres/postgres-connection.ts";
import { scoreAside } from "../../adapters/scoring/scoring-threads.ts";
import { readEnv } from "../../config/env.ts";
import { type ImportGuard, guardImports } from "../../config/trust/guard-imports.ts";
import { importModule } from "../../config/import-module.ts";
import { readFleetSecret } from "../../config/trust/fleet-secret.ts";
import { resolveForWorker } from "../../config/resolve/resolve-for-worker.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { type PolicyOptions, type WorkerPolicy, readWorkerPolicy } from "../../config/trust/worker-policy.ts";
import type { Context } from "../../core/context.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Executor } from "../../core/ports/executor.ts";
import { runHandlers } from "./run-handlers.ts";
import { systemClock } from "./system-clock.ts";

export interface WorkerOptions
  extends Pick<FleetWorkerOptions, "redis" | "insecureRedis" | "concurrency" | "onProblem">,
    PolicyOptions {
  /** The journal's address on this machine, instead of the one that the run names. */
  readonly journal?: string;
}

/**
 * Runs units of any run in Redis that is signed with the fleet's secret, until it is drained. It uses this process's keys,
 * and only does what `allow` and `sandbox` permit.
 */
export async function startWorker(given: WorkerOptions): Promise<FleetWorker> {
  const { journal, allow, sandbox, ...options } = given;
  const never = new AbortController().signal;
  const seal = fleetSeal(readFleetSecret(readEnv()));
  const policy = readWorkerPolicy({ allow, sandbox }, process.cwd());
  const guard = await holdModules(policy);
  const place = { journal, policy, signal: never };
  try {
    const worker = await fleetWorker({
      ...options,
      seal,
      clock: systemClock,
      hardSignal: never,
      openRun: async (toOpen) => openWorkerRun(toOpen, place),
    });
    return {
      ...worker,
      async drain() {
        await worker.drain();
        guard.release();
      },
    };
  } catch (error) {
    guard.release();
    throw error;
  }
}

/** Fixes the code of modules, and of everything they load, to its current content; later changes don't run. */
async function holdModules({ modules }: WorkerPolicy): Promise<ImportGuard> {
  const noted = guardImports();
  try {
    for (const path of modules) await importModule(path);
  } finally {
    noted.release();
  }
  return guardImports({
    allowed: noted.files,
    refuse: (change) =>
      new WhetstoneError("not-allowed", `${change} since this worker was started, so it wasn't run.`, {
        hint: "Review it. To allow it, start the worker again with --allow module=<file>.",
      }),
  });
}

/** Shared by all runs of a worker. */
interface WorkerPlace {
  readonly journal: string | undefined;
  readonly policy: WorkerPolicy;
  readonly signal: AbortSignal;
}

async function openWorkerRun(
  toOpen: RunToOpen,
  { journal: ownJournal, policy, signal }: WorkerPlace,
): Promise<WorkerRun> {
  const {
    resolved,
    journal: named,
    unable,
  } = await resolveForWorker(toOpen.settings, {
    env: readEnv(),
    policy,
  });
  if (ownJournal === undefined) refuseFarJournal(named, policy);
  const journal = await openJournal(journalPlace(ownJournal ?? named, process.cwd()));
  const nested = nestedExecutor(toOpen, resolved, { journal, signal }, () => handlers);
  const agent = resolved.agents?.get(resolved.models.target);
  const context: Context = {
    run: toOpen.run,
    settings: resolved.settings,
    models: resolved.models,
    takesBody: resolved.takesBody,
    environment: resolved.environment,
    ...(agent === undefined ? {} : { agent: { id: agent.id, version: agent.version } }),
    customScorers: resolved.customScorers ?? new Map(),
    scoreAside,
    journal,
    executor: nested,
    clock: systemClock,
    emit: toOpen.emit,
    signal,
    // the coordinator does the accounting
    account() {},
    inFlight: new Map(),
    asked: { results: 0, missing: 0 },
  };
  const handlers = runHandlers(resolved, () => context);
  return {
    handlers,
    journal,
    unable,
    callSeconds: resolved.callSeconds,
    async close() {
      await nested.close();
      await journal.close();
      await resolved.close?.();
    },
  };
}

/** A foreign database would receive this machine's password, and a folder other than the coordinator's is useless. */
function refuseFarJournal(named: string, policy: WorkerPolicy): void {
  if (!isPostgresAddress(named)) {
    if (existsSync(databasePath(named))) return;
    throw new WhetstoneError(
      "not-found",
      `The run's journal is the folder ${named}, which isn't on this machine.`,
      {
        hint: "Give the run a journal in PostgreSQL, or start the worker with --journal and the same folder's path here.",
      },
    );
  }
  const { hostname } = new URL(named);
  const isNear = hostname === "" || isLoopbackHost(hostname);
  if (isNear || policy.refusalOf({ kind: "host", value: named }) === undefined) return;
  throw new WhetstoneError(
    "not-allowed",
    `The run's journal is ${named}, and this worker wasn't started for it.`,
    {
      hint: "To allow it, start the worker with --journal and the journal's address.",
    },
  );
}

/** An environment's requests are separate units: they go through their model's queue, with its limits. */
function nestedExecutor(
  { run, settings, seal, redis, budget, emit }: RunToOpen,
  { concurrency }: Resolved,
  shared: Required<Pick<BullmqExecutorOptions, "journal" | "signal">>,
  handlers: () => ReturnType<typeof runHandlers>,
): Executor & { close(): Promise<void> } {
  let opened: ReturnType<typeof bullmqExecutor> | undefined;
  const open = () =>
    (opened ??= bullmqExecutor({
      ...shared,
      redis,
      run,
      budget,
      clock: systemClock,
      handlers: handlers(),
      emit,
      concurrency,
      seal,
      settings,
      isCoordinator: false,
      hardSignal: shared.signal,
      // the coordinator learns of it through the unit that asked
      stop() {},
    }));
  return {
    execute: async (dispatch) => (await open()).execute(dispatch),
    close: async () => (await opened)?.close(),
  };
}
