import type { RunEvent } from "../../core/events.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { type Cost } from "../../core/cost.ts";
import { type PlaceOptions } from "../place.ts";
import type { ProposalSummary } from "./stage-night.ts";

export interface NightOptions extends PlaceOptions {
  /** A file of reviewed tasks, instead of conversations. */
  readonly tasks?: string;
  /** Aborting it stops the night cleanly; the same call again goes on with it. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with each thing that was guessed rather than said, before anything is bought. */
  readonly onGuess?: (guess: string) => void;
  /** Called with each thing that is good to know of what was said, before anything is bought. */
  readonly onNote?: (note: string) => void;
  readonly clock?: Clock;
}

/** What a night came to. */
export interface Night {
  readonly id: string;
  /** Its report and its diagnostics. */
  readonly folder: string;
  /** The verdict. */
  readonly sentence: string;
  readonly conversations: number;
  readonly tasks: number;
  readonly proposals: readonly ProposalSummary[];
  /** What a person should know beside it. */
  readonly notes: readonly string[];
  readonly spent: Cost;
  /** The same in words: a login's share and questions by hand are no money. */
  readonly took: string;
}
