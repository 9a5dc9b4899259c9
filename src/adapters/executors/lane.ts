import { InfraError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";

export interface LaneOptions {
  /** A number is the ceiling from the first success on; `auto` finds it. */
  readonly concurrency: number | "auto";
  /** Failures in a row, without a success between, that open the breaker. */
  readonly breakAfter: number;
  /** Time before each probe while the breaker is open. */
  readonly probeMs: number;
}

export type LaneState = "throttled" | "open" | "closed" | "down";

/** One provider and model: who may call now. Slow start until the first throttle, then +1 / halve. */
export interface Lane {
  /** Resolves when a call may begin; the ticket must be ended exactly once. */
  acquire(background: boolean): Promise<Ticket>;
  /** Refuses everything that waits, and everything to come, with this error. */
  close(error: Error): void;
}

export interface Ticket {
  success(): void;
  failure(error: InfraError): void;
  /** Neither: the call was given up. */
  abandon(): void;
}

interface Waiter {
  readonly begin: (ticket: Ticket) => void;
  readonly refuse: (error: Error) => void;
}

const startLimit = 8;
const autoCeiling = 1024;
const defaultPauseMs = 500;
/** Calls begun after a failure without a success between; when they fail too, the lane is down. */
const maxProbes = 5;

export function createLane(
  options: LaneOptions,
  clock: Clock,
  report: (state: LaneState, limit: number, message: string) => void,
): Lane {
  const ceiling = options.concurrency === "auto" ? autoCeiling : options.concurrency;
  const urgent: Waiter[] = [];
  const background: Waiter[] = [];
  // one call alone until the first success: a dead key costs one call, not a batch
  let limit = 1;
  let inFlight = 0;
  let succeeded = false;
  let slowStart = true;
  let halvings = 0;
  let failuresInRow = 0;
  let probes = 0;
  let open = false;
  let resting = false;
  let pausedUntil = 0;
  let waking = false;
  let closedWith: Error | undefined;

  const next = (): Waiter | undefined => urgent.shift() ?? background.shift();

  function pump(): void {
    while (!resting && inFlight < Math.floor(limit)) {
      // after a failure the calls still in flight tell more, and for free
      if (failuresInRow > 0 && inFlight > 0) return;
      const wait = pausedUntil - clock.now();
      if (wait > 0) return wakeAfter(wait);
      const waiter = next();
      if (waiter === undefined) return;
      if (failuresInRow > 0) probes += 1;
      waiter.begin(issueTicket());
    }
  }

  function wakeAfter(ms: number): void {
    if (waking) return;
    waking = true;
    void clock.sleep(ms).then(() => {
      waking = false;
      pump();
    });
  }

  function issueTicket(): Ticket {
    inFlight += 1;
    const born = halvings;
    const end = (then?: () => void) => {
      inFlight -= 1;
      then?.();
      pump();
    };
    return {
      success: () => end(grow),
      failure: (error) => end(() => shrink(error, born)),
      abandon: () => end(),
    };
  }

  function grow(): void {
    failuresInRow = 0;
    probes = 0;
    if (open) {
      open = false;
      report("closed", Math.floor(limit), "the provider answers again");
    }
    if (succeeded) {
      limit = Math.min(ceiling, slowStart ? limit + 1 : limit + 1 / limit);
    } else {
      succeeded = true;
      limit = options.concurrency === "auto" ? startLimit : ceiling;
    }
  }

  function shrink(error: InfraError, born: number): void {
    if (!error.retryable) return;
    if (error.class === "throttle") {
      pausedUntil = Math.max(pausedUntil, clock.now() + (error.retryAfterMs ?? defaultPauseMs));
      if (limit > 1 && succeeded) {
        // calls sent before the last halving tell nothing new
        if (born === halvings) halve(error);
        return;
      }
    }
    failuresInRow += 1;
    if (inFlight > 0) return;
    // a lane that never worked risks one call less: five in all
    if (probes >= (succeeded ? maxProbes : maxProbes - 1)) return goDown(error);
    if (failuresInRow >= options.breakAfter) rest(error);
  }

  /** The breaker: one probe per `probeMs`. */
  function rest(error: InfraError): void {
    if (!open) report("open", Math.floor(limit), error.message);
    open = true;
    resting = true;
    void clock.sleep(options.probeMs).then(() => {
      resting = false;
      pump();
    });
  }

  function halve(error: InfraError): void {
    halvings += 1;
    slowStart = false;
    limit = Math.max(1, Math.floor(limit / 2));
    report("throttled", limit, error.message);
  }

  function goDown(error: InfraError): void {
    report("down", Math.floor(limit), error.message);
    close(new InfraError(error.class, `The provider does not answer: ${error.message}`, { cause: error }));
  }

  function close(error: Error): void {
    closedWith ??= error;
    for (const waiter of [...urgent.splice(0), ...background.splice(0)]) waiter.refuse(error);
  }

  return {
    acquire: (isBackground) =>
      new Promise<Ticket>((begin, refuse) => {
        if (closedWith !== undefined) return refuse(closedWith);
        (isBackground ? background : urgent).push({ begin, refuse });
        pump();
      }),
    close,
  };
}
