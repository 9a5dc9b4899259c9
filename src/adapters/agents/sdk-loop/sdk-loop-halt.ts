import { InfraError } from "../../../core/errors.ts";
import type { AgentRun } from "../../../core/ports/agent.ts";

/** Ends a rollout from within: by a limit that it met, or because the world around it failed. */
export interface Halt {
  readonly signal: AbortSignal;
  stop(reason: HaltReason): void;
  reason(): HaltReason | undefined;
}

type HaltReason = { readonly ended: AgentRun["ended"] } | { readonly error: unknown };

export function createHalt(outer: AbortSignal): Halt {
  const controller = new AbortController();
  let first: HaltReason | undefined;
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    stop(reason) {
      first ??= reason;
      controller.abort(new InfraError("transport", "The rollout was ended."));
    },
    reason: () => first,
  };
}
