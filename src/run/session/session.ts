import { setMaxListeners } from "node:events";
import { type ClientPolicy, localExecutor } from "../../adapters/executors/local.ts";
import { scoreAside } from "../../adapters/scoring/scoring-threads.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Context } from "../../core/context.ts";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import { type EventBody, type RunEvent, isLogged } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Ledger, readLedger } from "../../core/work/ledger.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Executor } from "../../core/ports/executor.ts";
import { type Cost, addCost, noCost } from "../../core/cost.ts";
import type { Entry, Journal } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import { type Spend, createSpend } from "../../core/work/spend.ts";
import { countUnusable } from "../../report/unusable-replies.ts";
import type { Summary } from "../reports/artifacts.ts";
import { openFleet } from "./open-fleet.ts";
import { runHandlers } from "./run-handlers.ts";
import { systemClock } from "./system-clock.ts";
import { tellTrimmed } from "./tell-trimmed.ts";

export interface SessionOptions {
  readonly run: string;
  readonly resolved: Resolved;
  readonly journal: Journal;
  /** Aborting it stops the run cleanly; calling again resumes it. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  readonly policy?: Partial<ClientPolicy>;
  readonly clock?: Clock;
  /** How long calls in flight may take to finish after a stop. @default 30 s */
  readonly graceMs?: number;
}

/** One execution of a run: its history, a context for the loop, and an orderly end. */
export interface Session {
  readonly context: Context;
  readonly spend: Spend;
  readonly ledger: Ledger;
  /** The run's final cost; with a fleet it comes from the journal. */
  booked(): Promise<Cost>;
  /** The run had ended in an earlier execution. */
  readonly finishedBefore: boolean;
  /** The cost of the results that this run bought, by role; the others were already in the journal. */
  boughtByRole(): Readonly<Partial<Record<Role, Cost>>>;
  /** The cost of all results that this run uses, by role, including those that other runs bought. */
  costByRole(): Readonly<Partial<Record<Role, Cost>>>;
  /** Unusable replies for summaries, if there are any. */
  unusable(): Pick<Summary, "replies">;
  /** Waits for calls in flight, then for the last journal write. */
  close(): Promise<void>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const { run, resolved, journal, clock = systemClock } = options;
  const history: History = { events: 0, last: 0, finished: false, refused: new Map(), leftOut: new Set() };
  const fleet = resolved.fleet === undefined ? undefined : await openFleet(resolved.fleet, run, clock);
  const ledger = await readLedger(countEvents(journal.read({ run }), history)).catch(async (error) => {
    await fleet?.close();
    throw error;
  });
  const started = clock.now();
  const spend =
    (await fleet?.openBudget({
      caps: resolved.spend,
      journal,
      already: ledger.spent,
      after: history.last,
    })) ??
    createSpend({
      caps: resolved.spend,
      already: ledger.spent,
      elapsedMs: () => clock.now() - started,
    });

  const stopping = new AbortController();
  const givingUp = new AbortController();
  setMaxListeners(0, stopping.signal, givingUp.signal);
  const stop = (error: Error) => stopping.abort(error);
  const interrupt = () =>
    stop(
      new WhetstoneError("interrupted", "Stopped as you asked.", {
        hint: "Run the same command again to continue; finished work is kept.",
      }),
    );
  if (options.signal?.aborted === true) interrupt();
  options.signal?.addEventListener("abort", interrupt, { once: true });

  const log = eventLog(options, history.events, stop);
  const replies = countUnusable();
  const costs = new Map<Role, Cost>();
  const bought = new Map<Role, Cost>();
  const counted = new Set<string>();
  const shared = {
    run,
    journal,
    clock,
    handlers: runHandlers(resolved, () => context),
    concurrency: resolved.concurrency,
    callSeconds: resolved.callSeconds,
    signal: stopping.signal,
    hardSignal: givingUp.signal,
    stop,
    policy: options.policy,
  };
  /** Also receives events from workers. */
  const hear = (event: EventBody) => {
    if (event.type === "unit-end") context.account(event.key, event.role, event.cost);
    log.emit(event);
  };
  const executor =
    fleet === undefined
      ? localExecutor({ ...shared, spend, emit: log.emit })
      : await fleet.executor({ ...shared, emit: hear });
  const agent = resolved.agents?.get(resolved.models.target);
  const trimmed = tellTrimmed(log.emit);
  const context: Context = {
    run,
    settings: resolved.settings,
    models: resolved.models,
    takesBody: resolved.takesBody,
    environment: resolved.environment,
    ...(agent === undefined ? {} : { agent: { id: agent.id, version: agent.version } }),
    customScorers: resolved.customScorers ?? new Map(),
    scoreAside,
    journal,
    executor: resolved.offline
      ? withRefusals(history, offlineExecutor)
      : history.finished
        ? withRefusals(history, executor)
        : executor,
    clock,
    emit(event) {
      if (event.type === "reply-unusable") replies.add(event);
      if (event.type === "request-trimmed") return trimmed(event);
      log.emit(event);
    },
    signal: stopping.signal,
    account(key, role, cost, isShared = false) {
      if (counted.has(key)) return;
      counted.add(key);
      for (const sums of isShared ? [costs] : [costs, bought])
        sums.set(role, addCost(sums.get(role) ?? noCost, cost));
    },
    inFlight: new Map(),
    asked: { results: 0, missing: 0 },
    ...(resolved.leaveOut && { leftOut: new Set([...history.leftOut, ...resolved.leaveOut]) }),
  };

  return {
    context,
    spend,
    ledger,
    booked: async () => (await fleet?.booked()) ?? spend.spent(),
    finishedBefore: history.finished,
    costByRole: () => Object.fromEntries(costs),
    boughtByRole: () => Object.fromEntries(bought),
    unusable() {
      const found = replies.list().map(({ role, reply, count, next }) => ({ role, reply, count, next }));
      return found.length === 0 ? {} : { replies: found };
    },
    async close() {
      options.signal?.removeEventListener("abort", interrupt);
      const grace = clock.sleep(options.graceMs ?? 30_000, givingUp.signal).then(
        () => givingUp.abort(new WhetstoneError("interrupted", "Calls in flight were abandoned.")),
        () => {},
      );
      // after an error nothing new may begin; after a good end nothing is waiting
      stopping.abort(new WhetstoneError("interrupted", "The run has ended."));
      await executor.idle();
      givingUp.abort();
      await grace;
      await fleet?.close();
      await log.flush();
    },
  };
}

interface History {
  events: number;
  /** The number of the last entry. */
  last: number;
  finished: boolean;
  /** The provider's messages about prompts it refused, by key; these have no result. */
  readonly refused: Map<string, string>;
  /** Ids of tasks that an earlier execution left out; every later one leaves them out too. */
  readonly leftOut: Set<string>;
}

/** Reading a finished run again makes no calls, so refused prompts stay refused. A resumed run asks again. */
const withRefusals = ({ refused }: History, executor: Executor): Executor => ({
  async execute(dispatch) {
    const said = refused.get(dispatch.key);
    if (said !== undefined) throw new InfraError("prompt-refused", said);
    return executor.execute(dispatch);
  },
});

const offlineExecutor: Executor = {
  async execute({ unit, key }) {
    throw new WhetstoneError(
      "offline-miss",
      `The journal doesn't have a result for ${unit.kind} ${key.slice(0, 12)}.`,
      {
        hint: "Run without --offline once to record it, or use the journal that has it.",
      },
    );
  },
};

async function* countEvents(entries: AsyncIterable<Entry>, history: History): AsyncIterable<Entry> {
  for await (const entry of entries) {
    history.last = entry.seq;
    if (entry.kind === "event") {
      history.events += 1;
      if (entry.name === "run-end") history.finished = entry.body["status"] === "done";
      if (entry.name === "run-start")
        for (const id of (entry.body["leftOut"] ?? []) as readonly string[]) history.leftOut.add(id);
    }
    if (entry.kind === "failure" && entry.body["class"] === "prompt-refused")
      history.refused.set(entry.key, entry.body["message"] as string);
    yield entry;
  }
}

interface EventLog {
  readonly emit: (event: EventBody) => void;
  flush(): Promise<void>;
}

/** Writes events without making the loop wait; a failed write stops the run. */
function eventLog(
  { run, journal, onEvent, clock = systemClock }: SessionOptions,
  already: number,
  stop: (error: Error) => void,
): EventLog {
  let seq = already;
  let last: Promise<unknown> = Promise.resolve();
  return {
    emit(event) {
      const kept = isLogged(event);
      if (kept) seq += 1;
      const at = clock.now();
      const full: RunEvent = { v: 1, seq, at, run, ...event };
      if (kept) {
        const { type, ...body } = event;
        last = journal.write({
          kind: "event",
          run,
          key: "",
          name: type,
          body: { v: 1, seq, at, ...body } as unknown as JsonObject,
        });
        last.catch(stop);
      }
      onEvent?.(full);
    },
    async flush() {
      await last;
    },
  };
}
