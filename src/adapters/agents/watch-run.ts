import type { AgentLimits } from "../../core/ports/agent.ts";
import type { ModelProxy, ProxyFacts } from "../sandboxes/model-proxy.ts";
import type { EventReader } from "./agent-cli.ts";

/**
 * `skill`: one was loaded, and that was all we wanted to know; `time`: no active time is left; `limit`: the proxy
 * lets no further call through; `provider`: it fails, and the CLI would only go on asking.
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
  /** Looks now, because something happened. */
  look(): void;
  stopped(): StopReason | undefined;
}

/** Ends a run that has nothing more to give. CLIs retry for minutes, and silently: our own lane knows better when to. */
export function watchRun(options: RunToWatch): RunWatch {
  const { proxy, reader, limits, answerMs, untilSkill } = options;
  const stop = new AbortController();
  const started = performance.now();
  let reason: StopReason | undefined;
  const end = (why: StopReason): void => {
    reason ??= why;
    stop.abort();
  };
  /** What had been waited when the last call ended. */
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

/** What no retry cures, what asks for more patience than a rollout has, or failure upon failure. */
function isHopeless({ failures, failuresInRow }: ProxyFacts): boolean {
  const last = failures.at(-1);
  if (last === undefined || failuresInRow === 0) return false;
  // a bad request is left to the CLI: it may drop what was refused and ask again
  const isFinal = last.class === "money" || [401, 402, 403].includes(last.status ?? 0);
  return (
    isFinal ||
    (last.retryAfterMs ?? 0) > longestRetryAfterMs ||
    (last.class !== "refused" && last.class !== "prompt-refused" && failuresInRow >= 3)
  );
}

const longestRetryAfterMs = 20_000;
