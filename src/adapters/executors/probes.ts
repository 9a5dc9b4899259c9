import type { InfraError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";

/** A lane that shares the probes of its provider. */
export interface Prober {
  /** Its turn may have come. */
  wake(): void;
  /** A sibling failed: calls begun before now prove nothing any more. */
  doubt(): void;
  inDoubt(): boolean;
  goDown(error: InfraError): void;
}

/**
 * Calls that ask, one at a time, whether a provider is back. An outage hits all models of a provider, so
 * their lanes share the probes: five calls in all, not five for each.
 */
export interface Probes {
  join(prober: Prober): void;
  /** A lane that worked has failed: all lanes doubt until a call begun after this succeeds. */
  doubtAll(): void;
  /** Whether a probe may begin now. Exactly one `success`, `failure` or `abandon` ends it. */
  begin(): boolean;
  success(): void;
  /** After `most` probes without an answer between, every lane in doubt goes down. */
  failure(error: InfraError, most: number): "down" | "go on";
  abandon(): void;
  /** The breaker: no probe for a while. */
  rest(): void;
  wakeAll(): void;
}

export function createProbes(restMs: number, clock: Clock): Probes {
  const probers: Prober[] = [];
  let unanswered = 0;
  let isOut = false;
  let resting = false;
  const wakeAll = () => {
    for (const prober of probers) prober.wake();
  };

  return {
    join: (prober) => void probers.push(prober),
    doubtAll() {
      for (const prober of probers) prober.doubt();
    },
    begin() {
      if (isOut || resting) return false;
      isOut = true;
      unanswered += 1;
      return true;
    },
    success() {
      isOut = false;
      unanswered = 0;
    },
    failure(error, most) {
      isOut = false;
      if (unanswered < most) return "go on";
      unanswered = 0;
      for (const prober of probers) if (prober.inDoubt()) prober.goDown(error);
      return "down";
    },
    abandon() {
      isOut = false;
    },
    rest() {
      if (resting) return;
      resting = true;
      void clock.sleep(restMs).then(() => {
        resting = false;
        wakeAll();
      });
    },
    wakeAll,
  };
}
