import type { AgentLimits } from "../../core/ports/agent.ts";
import type { ModelProxy, ProxyFacts } from "../sandboxes/model-proxy.ts";
import type { EventReader } from "./agent-cli.ts";

/**
 * `skill`: one was loaded, which is all we wanted to know. `time`: the active time is used up. `limit`: the proxy
 * allows no more calls. `provider`: it keeps failing, and the CLI would only keep asking.
 */
export type StopReason = "skill" | "time" | "limit" | "provider";

export interface RunToWatch {
  readonly proxy: Pick<ModelProxy, "facts">;
  readonly reader: EventReader;
  readonly limits: AgentLimits;
  readonly answerMs: number;
  readonly untilSkill: boolean;
  /** The caller's own. */
  readonly signal: AbortSignal;
}

export interface RunWatch extends Disposable {
  /** Ends the box. */
  readonly signal: AbortSignal;
  /** Checks now, because something happened. */
  look(): void;
  stopped(): StopReason | undefined;
}

/** Ends a run that can't produce more. CLIs retry silently for minutes, and our own lane knows better when to retry. */
export function watchRun(options: RunToWatch): RunWatch {
  const { proxy, reader, limits, answerMs, untilSkill } = options;
  const stop = new AbortController();
  const started = performance.now();
  let reason: StopReason | undefined;
  const end = (why: StopReason): void => {
    reason ??= why;
    stop.abort();
  };
  /** The waiting time up to the end of the last call. */
  let lastEnd = { ended: 0, waitedMs: 0 };

  const lookAtProxy = (): void => {
    const facts = proxy.facts();
    if (facts.stopped !== undefined || facts.limit !== undefined) end("limit");
    const ended = facts.calls + facts.failures.length;
    if (ended !== lastEnd.ended) lastEnd = { ended, waitedMs: facts.waitedMs };
    const isSilent = facts.waitedMs - lastEnd.waitedMs > answerMs;
    if (isSilent || isHopeless(facts)) end("provider");
    if (performance.now() - started - facts.waitedMs > limits.seconds * 1000) end("time");
  };
  const timer = setInterval(lookAtProxy, 100);

  return {
    signal: AbortSignal.any([options.signal, stop.signal]),
    look() {
      if (untilSkill && reader.read().loaded.length > 0) end("skill");
    },
    stopped: () => reason,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Failures that a retry can't fix, that need more patience than a rollout has, or that keep coming. */
function isHopeless({ failures, failuresInRow }: ProxyFacts): boolean {
  const last = failures.at(-1);
  if (last === undefined || failuresInRow === 0) return false;
  // a bad request is left to the CLI, which may drop the refused part and ask again
  const isFinal = last.class === "money" || [401, 402, 403].includes(last.status ?? 0);
  return (
    isFinal ||
    (last.retryAfterMs ?? 0) > longestRetryAfterMs ||
    (last.class !== "refused" && last.class !== "prompt-refused" && failuresInRow >= 3)
  );
}

const longestRetryAfterMs = 20_000;
