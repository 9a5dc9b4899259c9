import type { Place } from "../../core/place.ts";
import { InfraError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { createClimb } from "./climb.ts";
import { type Probes, createProbes } from "./probes.ts";

export interface LaneOptions {
  /** A number is the ceiling from the first success on; `auto` finds it. */
  readonly concurrency: number | "auto";
  /** The starting point of `auto` after the first success. */
  readonly start: number;
  /** Consecutive failures, without a success between them, that open the breaker. */
  readonly breakAfter: number;
  /** Wait before each probe while the breaker is open. */
  readonly probeMs: number;
}

export type LaneState = "throttled" | "open" | "closed" | "down";

/**
 * Decides who may call one provider and model now. `auto` climbs as long as more calls finish per second; after the
 * first throttle it adds 1 or halves. A call that took too long also halves it.
 */
export interface Lane {
  /** Resolves when a call may start. The ticket must be ended exactly once. */
  acquire(urgency?: Urgency): Promise<Ticket>;
  /** Rejects everything that waits, now and later, with this error. */
  close(error: Error): void;
}

export type Urgency = Pick<Place, "background" | "block">;

/** 0 if a decision waits for it, 1 if only the end needs it; the lowest goes first. */
export const turnOf = ({ background }: Urgency): 0 | 1 => (background === true ? 1 : 0);

export interface Ticket {
  success(): void;
  failure(error: InfraError): void;
  /** Neither: the call was given up. */
  abandon(): void;
}

interface Waiter {
  readonly block: string | undefined;
  readonly begin: (ticket: Ticket) => void;
  readonly refuse: (error: Error) => void;
}

export const startLimit = 12;
const autoCeiling = 1024;
const defaultPauseMs = 500;
/** Unanswered probes after which the lane is down. A lane that never worked risks one call fewer: five in all. */
const maxProbes = 5;
/** Probes that may follow each other immediately. Before the others, a slow provider gets time to recover. */
const quickProbes = 2;

export function createLane(
  options: LaneOptions,
  clock: Clock,
  report: (state: LaneState, limit: number, message: string) => void,
  probes: Probes = createProbes(options.probeMs, clock),
): Lane {
  const isAuto = options.concurrency === "auto";
  const ceiling = options.concurrency === "auto" ? autoCeiling : options.concurrency;
  const climb = createClimb();
  const urgent: Waiter[] = [];
  /** In order. */
  const queues = [urgent, [] as Waiter[]] as const;
  // a single call until the first success, so that a dead key costs one call and not a batch
  let limit = 1;
  let inFlight = 0;
  let begun = 0;
  let succeeded = false;
  let isThrottled = false;
  let halvings = 0;
  /** The number of calls started at the first failure. Only a later call can show that the provider is back. */
  let doubtAfter: number | undefined;
  /** Earlier calls that succeeded while in doubt. Each may be replaced by one, so an outage never increases traffic. */
  let replacements = 0;
  /** After a doubt, calls in flight grow from the level they had fallen to, by one for each call started since. */
  let room = Number.POSITIVE_INFINITY;
  let trustedAfter = 0;
  let failuresInRow = 0;
  let probesFailed = 0;
  let open = false;
  let pausedUntil = 0;
  let waking = false;
  let closedWith: Error | undefined;
  /** The block of the last started call. Its remaining calls take the next places, whatever else waits. */
  let block: string | undefined;

  const isClimbing = () => isAuto && succeeded && !isThrottled;
  const nextQueue = () =>
    queues.find(([first]) => first?.block !== undefined && first.block === block) ??
    queues.find((queue) => queue.length > 0);

  /** Non-urgent calls only start at the end of a turn, so that anything else requested in that turn goes first. */
  function pump(isTurnOver = false): void {
    for (let next = nextQueue(); next !== undefined; next = nextQueue()) {
      if (isClimbing() && inFlight >= Math.floor(limit)) climb.full(clock.now());
      if (inFlight >= Math.min(Math.floor(limit), room)) return;
      if (next !== urgent && !isTurnOver) return wakeAfter(0);
      const isProbe = doubtAfter !== undefined && replacements === 0;
      // after a failure, the calls still in flight tell us more, at no cost
      if (isProbe && inFlight > 0) return;
      const wait = pausedUntil - clock.now();
      if (wait > 0) return wakeAfter(wait);
      if (isProbe && !probes.begin()) return;
      if (doubtAfter !== undefined && !isProbe) replacements -= 1;
      const waiter = next.shift();
      block = waiter?.block;
      waiter?.begin(issueTicket(isProbe));
    }
  }

  function wakeAfter(ms: number): void {
    if (waking) return;
    waking = true;
    void clock.sleep(ms).then(() => {
      waking = false;
      pump(true);
    });
  }

  function issueTicket(isProbe: boolean): Ticket {
    inFlight += 1;
    begun += 1;
    const [number, halved] = [begun, halvings];
    const end = (then: (isFull: boolean) => void) => {
      const isFull = isClimbing() && inFlight >= Math.floor(limit) && nextQueue() !== undefined;
      inFlight -= 1;
      then(isFull);
      if (isProbe) probes.wakeAll();
      else pump();
    };
    const abandon = () => {
      if (isProbe) probes.abandon();
    };
    return {
      success: () =>
        end((isFull) => {
          if (isProbe) probes.success();
          grow(number, isFull);
        }),
      failure: (error) => end(() => (error.retryable ? shrink(error, halved, isProbe) : abandon())),
      abandon: () => end(abandon),
    };
  }

  function grow(number: number, isFull: boolean): void {
    if (doubtAfter !== undefined && number <= doubtAfter) {
      replacements += 1;
      return;
    }
    if (doubtAfter !== undefined) {
      room = inFlight + 1;
      trustedAfter = begun;
    } else if (number > trustedAfter) {
      room = room < ceiling ? room + 1 : Number.POSITIVE_INFINITY;
    }
    doubtAfter = undefined;
    replacements = 0;
    failuresInRow = 0;
    probesFailed = 0;
    if (open) {
      open = false;
      report("closed", Math.floor(limit), "the provider answers again");
    }
    if (!succeeded) limit = isAuto ? options.start : ceiling;
    else if (isClimbing()) limit = Math.min(ceiling, climb.success(limit, clock.now(), isFull));
    else limit = Math.min(ceiling, limit + 1 / limit);
    succeeded = true;
  }

  function shrink(error: InfraError, halved: number, isProbe: boolean): void {
    if (doubtAfter === undefined) probes.doubtAll();
    // calls sent before the last halving tell us nothing new
    const mayHalve = limit > 1 && succeeded && halved === halvings;
    if (error.class === "throttle") {
      pausedUntil = Math.max(pausedUntil, clock.now() + (error.retryAfterMs ?? defaultPauseMs));
      if (mayHalve) {
        isThrottled = true;
        halve(error);
      }
      if (!isProbe && succeeded) return;
    } else if (error.isLate && mayHalve) halve(error);
    failuresInRow += 1;
    if (isProbe) probesFailed += 1;
    if (isProbe && probes.failure(error, succeeded ? maxProbes : maxProbes - 1) === "down") return;
    const needsTime = succeeded && probesFailed >= quickProbes;
    if (inFlight === 0 && (failuresInRow >= options.breakAfter || needsTime)) rest(error);
  }

  function rest(error: InfraError): void {
    if (!open) report("open", Math.floor(limit), error.message);
    open = true;
    probes.rest();
  }

  function halve(error: InfraError): void {
    halvings += 1;
    limit = climb.late(limit);
    report("throttled", limit, error.message);
  }

  function goDown(error: InfraError): void {
    report("down", Math.floor(limit), error.message);
    // its actual answer tells us more
    if (error.status !== undefined) return close(error);
    const { class: kind, message, hint } = error;
    close(new InfraError(kind, `The provider doesn't answer: ${message}`, { cause: error, hint }));
  }

  function close(error: Error): void {
    closedWith ??= error;
    for (const queue of queues) for (const { refuse } of queue.splice(0)) refuse(error);
  }

  probes.join({
    wake: () => pump(),
    doubt: () => {
      doubtAfter ??= begun;
    },
    inDoubt: () => doubtAfter !== undefined && closedWith === undefined,
    goDown,
  });

  return {
    acquire: (urgency = {}) =>
      new Promise<Ticket>((begin, refuse) => {
        if (closedWith !== undefined) return refuse(closedWith);
        queues[turnOf(urgency)].push({ block: urgency.block, begin, refuse });
        pump();
      }),
    close,
  };
}
