import { type AttemptContext, attempt } from "../../core/work/attempt.ts";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { EventBody } from "../../core/events.ts";
import { type Handlers, findHandler } from "../../core/work/handlers.ts";
import type { Dispatch, Executed, Executor } from "../../core/ports/executor.ts";
import { type Role, nearCalls } from "../../core/ports/model.ts";
import { seededRandom } from "../../core/random.ts";
import { nextStepOf } from "../../core/unanswered.ts";
import { type Lane, type LaneOptions, createLane, startLimit } from "./lane.ts";
import { createPaces } from "./pace.ts";
import { type Probes, createProbes } from "./probes.ts";

export interface LocalExecutorOptions extends AttemptContext {
  readonly handlers: Handlers;
  readonly emit: (event: EventBody) => void;
  /** Calls in flight per provider and model. @default "auto" */
  readonly concurrency?: number | "auto";
  /** The time limit for one model call. @default "auto": by its measured speed */
  readonly callSeconds?: number | "auto";
  /** Once aborted, nothing new starts. */
  readonly signal: AbortSignal;
  /** Called with the first error that no retry can fix: the whole run must stop. */
  readonly stop: (error: Error) => void;
  /** Once aborted, calls in flight are given up. */
  readonly hardSignal: AbortSignal;
  readonly policy?: Partial<ClientPolicy>;
}

/** How often a call is retried. Stages don't know about it. */
export interface ClientPolicy extends Omit<LaneOptions, "concurrency" | "start"> {
  /** Tries per call before it is pending. */
  readonly tries: number;
  /** First back-off; doubles with each try, and half of it is jitter. */
  readonly backoffMs: number;
}

export const defaultPolicy: ClientPolicy = {
  tries: 3,
  backoffMs: 500,
  breakAfter: 5,
  probeMs: 30_000,
};

export interface LocalExecutor extends Executor {
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

/** Runs units in this process: hundreds or thousands of calls at a time, because most time is spent waiting. */
export function localExecutor(options: LocalExecutorOptions): LocalExecutor {
  const { handlers, emit, clock, signal, hardSignal, concurrency = "auto" } = options;
  const policy = { ...defaultPolicy, ...options.policy };
  const lanes = new Map<string, Lane>();
  const paceOf = createPaces(options.callSeconds);
  const probes = new Map<string, Probes>();
  const running = new Set<Promise<unknown>>();

  const closeAll = (error: Error) => {
    for (const lane of lanes.values()) lane.close(error);
  };
  signal.addEventListener("abort", () => closeAll(signal.reason as Error), { once: true });

  function laneFor(name: string, isNear: boolean, parallel = Number.POSITIVE_INFINITY): Lane {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const lane = createLane(
      {
        ...policy,
        concurrency: concurrency === "auto" ? parallelLimit(parallel) : Math.min(concurrency, parallel),
        start: isNear ? nearCalls : startLimit,
      },
      clock,
      (state, limit, message) => emit({ type: "lane-change", lane: name, state, limit, message }),
      probesFor(name),
    );
    lanes.set(name, lane);
    return lane;
  }

  function probesFor(lane: string): Probes {
    const [provider = ""] = lane.split("/", 1);
    const shared = probes.get(provider) ?? createProbes(policy.probeMs, clock);
    probes.set(provider, shared);
    return shared;
  }

  /** Running calls that get an automatic answer: not handoffs, and not environments, which wait for their own calls. */
  let busy = 0;
  const isIdle = () => busy === 0;

  async function execute(dispatch: Dispatch): Promise<Executed> {
    const { kind } = dispatch.unit;
    const isBusy =
      kind !== "environment" &&
      findHandler(handlers, dispatch.unit).isUnlimited?.(dispatch.unit.input) !== true;
    if (isBusy) busy += 1;
    try {
      return await tryOut(dispatch);
    } finally {
      if (isBusy) busy -= 1;
    }
  }

  async function tryOut({ unit, key, place }: Dispatch): Promise<Executed> {
    const handler = findHandler(handlers, unit);
    const laneName = handler.lane(unit.input);
    const isUnlimited = handler.isUnlimited?.(unit.input) === true;
    const isNear = handler.isNear?.(unit.input) === true;
    const lane = isUnlimited ? openLane : laneFor(laneName, isNear, handler.parallel?.(unit.input));
    const pace = isUnlimited ? undefined : paceOf(laneName);
    const random = seededRandom("jitter", key);
    const at = { key, role: place.role, step: place.step, stage: place.stage };
    for (let nth = 1; ; nth += 1) {
      signal.throwIfAborted();
      const ticket = await lane.acquire(place);
      emit({ type: "try-start", ...at, kind: unit.kind });
      try {
        const executed = await attempt(
          unit,
          handler,
          {
            key,
            place,
            signal: hardSignal,
            deadlineMs: pace && (() => pace.deadlineMs(place.role, nth)),
            mostTokens: pace?.mostTokens,
            isIdle,
          },
          nth,
          options,
        );
        ticket.success();
        pace?.hear(place.role, executed);
        return executed;
      } catch (error) {
        if (!(error instanceof InfraError)) {
          ticket.abandon();
          options.stop(error as Error);
          throw error;
        }
        if (error.class === "prompt-refused") {
          // the provider answers, but refuses this one prompt
          ticket.success();
        } else ticket.failure(error);
        emit({ type: "try-failed", ...at, class: error.class, message: error.message });
        if (error.stopsRun) {
          const fatal = refusalOf(laneName, error, place.role);
          options.stop(fatal);
          throw fatal;
        }
        if (!error.retryable || nth >= policy.tries) throw error;
        const backoff = policy.backoffMs * 2 ** (nth - 1);
        await clock.sleep(Math.max(error.retryAfterMs ?? 0, backoff / 2 + (random() * backoff) / 2), signal);
      }
    }
  }

  return {
    execute(dispatch) {
      const work = execute(dispatch);
      running.add(work);
      const forget = () => running.delete(work);
      work.then(forget, forget);
      return work;
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** For calls that no provider limits. */
const openLane: Pick<Lane, "acquire"> = {
  acquire: async () => ({ success() {}, failure() {}, abandon() {} }),
};

const parallelLimit = (parallel: number): number | "auto" => (Number.isFinite(parallel) ? parallel : "auto");

/** Errors that stop a run, because no retry can fix them. */
export function refusalOf(lane: string, error: InfraError, role: Role): WhetstoneError {
  if (error.class === "money") {
    return new WhetstoneError(
      "provider-spend-limit",
      `${lane}: you reached the provider's own spend limit. ${error.message}`,
      {
        cause: error,
        hint: "Add credit or raise the limit at the provider, then run the same command again: finished work is kept.",
      },
    );
  }
  // a fault, a login or a program: the model itself wasn't called
  const isElsewhere = error.fault !== undefined || (error.status === undefined && error.hint !== undefined);
  const what = isElsewhere ? `${lane}:` : `${lane} refused the call:`;
  return new WhetstoneError(error.fault ?? "provider-refused", `${what} ${error.message}`, {
    cause: error,
    hint:
      nextStepOf(error, role) ??
      "Check key, model name and access with `whetstone doctor`, then run the same command again.",
  });
}
