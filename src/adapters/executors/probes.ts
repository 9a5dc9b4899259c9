import type { InfraError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";

/** A lane that shares its provider's probes. */
export interface Prober {
  /** It may be this lane's turn. */
  wake(): void;
  /** A sibling failed, so calls started before now prove nothing any more. */
  doubt(): void;
  inDoubt(): boolean;
  goDown(error: InfraError): void;
}

/**
 * Single calls that check whether a provider is back. An outage affects all of a provider's models, so their lanes
 * share the probes: five calls in all, not five each.
 */
export interface Probes {
  join(prober: Prober): void;
  /** A working lane has failed: all lanes are in doubt until a call started after this succeeds. */
  doubtAll(): void;
  /** Whether a probe may start now. It ends with exactly one `success`, `failure` or `abandon`. */
  begin(): boolean;
  success(): void;
  /** After `most` probes in a row without an answer, every lane in doubt goes down. */
  failure(error: InfraError, most: number): "down" | "go on";
  abandon(): void;
  /** The breaker: no probes for a while. */
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
