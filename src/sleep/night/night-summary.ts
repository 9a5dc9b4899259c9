import type { RunEvent } from "../../core/events.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { type Cost } from "../../core/cost.ts";
import { type PlaceOptions } from "../place.ts";
import type { ProposalSummary } from "./stage-night.ts";

export interface NightOptions extends PlaceOptions {
  /** A file of reviewed tasks to use instead of conversations. */
  readonly tasks?: string;
  /** Aborting it stops the night cleanly; the same call resumes it. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with each guessed setting, before anything is bought. */
  readonly onGuess?: (guess: string) => void;
  /** Called with each note about the settings, before anything is bought. */
  readonly onNote?: (note: string) => void;
  readonly clock?: Clock;
}

/** A night's result. */
export interface Night {
  readonly id: string;
  /** The folder with its report and diagnostics. */
  readonly folder: string;
  /** The verdict. */
  readonly sentence: string;
  readonly conversations: number;
  readonly tasks: number;
  readonly proposals: readonly ProposalSummary[];
  /** Other notes for the person. */
  readonly notes: readonly string[];
  readonly spent: Cost;
  /** The cost in words, including a login's share and questions by hand, which cost no money. */
  readonly took: string;
}
