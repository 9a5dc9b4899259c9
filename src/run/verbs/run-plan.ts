import type { WhetstoneError } from "../../core/errors.ts";
import type { RunCommand } from "../../core/events.ts";
import type { Stage } from "../../core/place.ts";
import type { Role } from "../../core/ports/model.ts";
import type { Range } from "../../core/rehearse/range.ts";

/** What a run will take, as far as that can be known without a call. Money is in billionths of a US dollar. */
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
    /** How many the caps pay for; null without a cap that counts. */
    readonly affordable: Range | null;
  };
  /** Replies in the journal that the lengths rest on, by role. */
  readonly measuredReplies: Readonly<Record<Role, number>>;
  /** What nobody has measured yet: models whose lengths, and whose times, are guesses. Their ranges are wide. */
  readonly guessed: {
    readonly lengths: readonly string[];
    readonly times: readonly string[];
    /** Models on this machine, of which nobody has said how many calls they work on at a time (`concurrency`). */
    readonly slots: readonly string[];
  };
  /** Where the target is an agent: what one rollout of it is taken for. */
  readonly rollout?: { readonly calls: Range; readonly tokens: Range; readonly ms: Range };
  /** Models whose price nobody knows; they count as free here. */
  readonly unpriced: readonly string[];
  /** Rehearsals that it is the spread of. */
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
