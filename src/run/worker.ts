import { type BullmqExecutorOptions, bullmqExecutor } from "../adapters/executors/bullmq.ts";
import { type FleetWorker, type FleetWorkerOptions, fleetWorker } from "../adapters/fleet/fleet-worker.ts";
import type { RunToOpen, WorkerRun } from "../adapters/fleet/opened-runs.ts";
import { journalPlace, openJournal } from "../adapters/journals/open-journal.ts";
import { scoreAside } from "../adapters/scoring/scoring-threads.ts";
import { type WorkerTelemetry, openWorkerTelemetry } from "../adapters/telemetry/open-worker-telemetry.ts";
import type { OtlpPlace } from "../adapters/telemetry/telemetry-backend.ts";
import { readEnv } from "../config/env.ts";
import { resolveForWorker } from "../config/resolve-for-worker.ts";
import type { Resolved } from "../config/resolved.ts";
import { hashJson } from "../core/canonical.ts";
import type { Context } from "../core/context.ts";
import type { Executor } from "../core/ports/executor.ts";
import { runHandlers } from "./run-handlers.ts";
import { systemClock } from "./system-clock.ts";

export interface WorkerOptions extends Pick<FleetWorkerOptions, "redis" | "concurrency" | "onProblem"> {
  /** A journal of this machine's own address, in place of the one that the run names. */
  readonly journal?: string | undefined;
  /** Spans and metrics of what it does; `otlp` is for a process in which nobody has registered an SDK. */
  readonly telemetry?: { readonly otlp?: OtlpPlace | undefined } | undefined;
}

/** Runs units of any run that Redis knows, until it is drained. Keys are those of this process. */
export async function startWorker({ journal, telemetry, ...options }: WorkerOptions): Promise<FleetWorker> {
  const never = new AbortController().signal;
  const told = telemetry === undefined ? undefined : await openWorkerTelemetry(telemetry.otlp);
  const place = { journal, signal: never, traceOf: told?.traceOf };
  try {
    const worker = await fleetWorker({
      ...options,
      clock: systemClock,
      hardSignal: never,
      openRun: async (toOpen) => openWorkerRun(toOpen, place),
      onTry: told?.beginTry,
    });
    return {
      ...worker,
      async drain() {
        await worker.drain();
        await told?.close();
      },
    };
  } catch (error) {
    await told?.close();
    throw error;
  }
}

/** What all runs of a worker share. */
interface WorkerPlace {
  readonly journal: string | undefined;
  readonly signal: AbortSignal;
  readonly traceOf: WorkerTelemetry["traceOf"] | undefined;
}

async function openWorkerRun(
  toOpen: RunToOpen,
  { journal: ownJournal, signal, traceOf }: WorkerPlace,
): Promise<WorkerRun> {
  const { resolved, journal: named, unable } = await resolveForWorker(toOpen.settings, { env: readEnv() });
  const journal = await openJournal(journalPlace(ownJournal ?? named, process.cwd()));
  const trace = () => traceOf?.(toOpen.run);
  const nested = nestedExecutor(toOpen, resolved, { journal, signal, trace }, () => handlers);
  const agent = resolved.agents?.get(resolved.models.target);
  const context: Context = {
    run: toOpen.run,
    settings: resolved.settings,
    models: resolved.models,
    environment: resolved.environment,
    ...(agent === undefined ? {} : { agent: { id: agent.id, version: agent.version } }),
    customScorers: resolved.customScorers ?? new Map(),
    scoreAside,
    journal,
    executor: nested,
    clock: systemClock,
    emit: toOpen.emit,
    signal,
    // the coordinator counts what it hears
    account() {},
    inFlight: new Map(),
  };
  const handlers = runHandlers(resolved, () => context);
  return {
    handlers,
    journal,
    unable,
    async close() {
      await nested.close();
      await journal.close();
      await resolved.close?.();
    },
  };
}

/** What an environment asks for is a unit of its own: it goes through the queue of its model, whose limits hold for it too. */
function nestedExecutor(
  { run, settings, redis, budget, emit }: RunToOpen,
  { concurrency }: Resolved,
  shared: Required<Pick<BullmqExecutorOptions, "journal" | "signal" | "trace">>,
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
      settings: { hash: hashJson(settings).slice(0, 16) },
      hardSignal: shared.signal,
      // the coordinator hears of it through the unit that asked
      stop() {},
    }));
  return {
    execute: async (dispatch) => (await open()).execute(dispatch),
    close: async () => (await opened)?.close(),
  };
}
