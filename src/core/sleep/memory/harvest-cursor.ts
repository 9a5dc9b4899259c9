import type { TranscriptRef } from "../../ports/transcripts.ts";
import type { SourceName } from "../mine/digest.ts";

/** How far the conversations of one source have been dealt with, oldest first. */
export interface HarvestCursor {
  /** The instant of the last change that was reached. */
  readonly changedAt: number;
  /** Ids of the conversations of that very instant that are done. */
  readonly done: readonly string[];
}

export type HarvestCursors = Readonly<Partial<Record<SourceName, HarvestCursor>>>;

/** Whether a conversation is still to be dealt with. One that went on since it was read is, again. */
export const isAhead = (cursor: HarvestCursor | undefined, ref: TranscriptRef): boolean =>
  cursor === undefined ||
  ref.changedAt > cursor.changedAt ||
  (ref.changedAt === cursor.changedAt && !cursor.done.includes(ref.id));

/** The cursor after a conversation, which must be the oldest ahead of it. */
export const advance = (
  cursor: HarvestCursor | undefined,
  { id, changedAt }: TranscriptRef,
): HarvestCursor =>
  cursor?.changedAt === changedAt ? { changedAt, done: [...cursor.done, id] } : { changedAt, done: [id] };

/** By instants, then by ids: one order for all sources. */
export const byChange = (a: TranscriptRef, b: TranscriptRef): number =>
  a.changedAt - b.changedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
