import type { TranscriptRef } from "../../core/ports/transcripts.ts";
import type { SourceName } from "../../core/ports/conversation.ts";

/**
 * The conversations that nights have dealt with, by source and id, each with the instant of the change up to which it was
 * read. A list and not a place in time: nights read the newest first, and what they leave stays to be read.
 */
export type Harvested = Readonly<Partial<Record<SourceName, Readonly<Record<string, number>>>>>;

/** Whether a conversation is still to be dealt with. One that went on since it was read is, again. */
export const isUnread = (
  harvested: Harvested,
  source: SourceName,
  { id, changedAt }: TranscriptRef,
): boolean => changedAt > (harvested[source]?.[id] ?? Number.NEGATIVE_INFINITY);

/** With conversations that were dealt with by now. */
export function markRead(
  harvested: Harvested,
  read: readonly { readonly source: SourceName; readonly ref: TranscriptRef }[],
): Harvested {
  const bySource = Map.groupBy(read, ({ source }) => source);
  const marked = [...bySource].map(([source, own]) => [
    source,
    { ...harvested[source], ...Object.fromEntries(own.map(({ ref }) => [ref.id, ref.changedAt])) },
  ]);
  return { ...harvested, ...Object.fromEntries(marked) };
}

/** By instants, then by ids: one order for all sources. */
export const byChange = (a: TranscriptRef, b: TranscriptRef): number =>
  a.changedAt - b.changedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
