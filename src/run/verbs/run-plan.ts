import type { WhetstoneError } from "../../core/errors.ts";
import type { RunCommand } from "../../core/events.ts";
import type { Stage } from "../../core/place.ts";
import type { Role } from "../../core/ports/model.ts";
import type { Range } from "../../core/rehearse/range.ts";

/** The expected cost and time of a run, as far as known without a call. Money is in billionths of a US dollar. */
export interface RunPlan {
  readonly command: RunCommand;
  readonly rollouts: Range;
  readonly calls: Range;
  readonly tokens: Range;
  readonly price: Range & { readonly byRole: Readonly<Record<Role, Range>> };
  /** Milliseconds. */
  readonly time: Range;
  readonly stages: readonly StagePlan[];
  readonly steps: {
    readonly planned: number;
    /** How many the caps pay for; null if no cap applies. */
    readonly affordable: Range | null;
  };
  /** How many replies in the journal the lengths are based on, by role. */
  readonly measuredReplies: Readonly<Record<Role, number>>;
  /** Not measured yet: models whose reply lengths or times are guesses. Their ranges are wide. */
  readonly guessed: {
    readonly lengths: readonly string[];
    readonly times: readonly string[];
    /** Models on this machine for which the number of parallel calls isn't known (`concurrency`). */
    readonly slots: readonly string[];
  };
  /** The assumed size of one rollout, if the target is an agent. */
  readonly rollout?: { readonly calls: Range; readonly tokens: Range; readonly ms: Range };
  /** Models without a known price; they count as free here. */
  readonly unpriced: readonly string[];
  /** The number of rehearsals behind the ranges. */
  readonly rehearsals: number;
  /** Why the caps are too small to begin. */
  readonly refusal?: WhetstoneError;
}

export interface StagePlan {
  readonly stage: Stage;
  readonly role: Role;
  readonly calls: Range;
  readonly nanoUsd: Range;
}
