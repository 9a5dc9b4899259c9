import type { TranscriptRef } from "../../core/ports/transcripts.ts";
import type { SourceName } from "../../core/ports/conversation.ts";

/**
 * The conversations that nights have handled, by source and id. Each has the time of the change up to which it was read, or
 * how often reading was tried. It's a list and not a single point in time, because nights read the newest first and leave
 * others for later.
 */
export type Harvested = Readonly<Partial<Record<SourceName, Readonly<Record<string, number | TriedRead>>>>>;

/** A conversation that couldn't be read or mined yet. */
export interface TriedRead {
  readonly changedAt: number;
  readonly tries: number;
  /** The reader and the miner that tried. Others start over. */
  readonly by: string;
}

/** After this many tries, a conversation waits for another reader or miner. */
export const mostTries = 3;

/** A conversation in the history of one agent. */
export interface ReadRef {
  readonly source: SourceName;
  readonly ref: Pick<TranscriptRef, "id" | "changedAt">;
}

/** Whether a conversation still has to be read. One that went on since it was read counts as unread. */
export function isUnread(
  harvested: Harvested,
  { source, ref: { id, changedAt } }: ReadRef,
  by: string,
): boolean {
  const known = harvested[source]?.[id];
  if (typeof known !== "object") return changedAt > (known ?? Number.NEGATIVE_INFINITY);
  return (
    changedAt > known.changedAt || triesOf(harvested, { source, ref: { id, changedAt } }, by) < mostTries
  );
}

/** How often this reader and this miner have failed. */
export function triesOf(harvested: Harvested, { source, ref }: ReadRef, by: string): number {
  const known = harvested[source]?.[ref.id];
  return typeof known === "object" && known.by === by && known.changedAt === ref.changedAt ? known.tries : 0;
}

/** Marks conversations as read. */
export const markRead = (harvested: Harvested, read: readonly ReadRef[]): Harvested =>
  mark(harvested, read, ({ ref }) => ref.changedAt);

/** Marks conversations as failed once more than in `before`. */
export const markTried = (
  harvested: Harvested,
  tried: readonly ReadRef[],
  { by, before }: { readonly by: string; readonly before: Harvested },
): Harvested =>
  mark(harvested, tried, (one) => ({
    changedAt: one.ref.changedAt,
    tries: triesOf(before, one, by) + 1,
    by,
  }));

function mark(
  harvested: Harvested,
  refs: readonly ReadRef[],
  markOf: (one: ReadRef) => number | TriedRead,
): Harvested {
  const marked = [...Map.groupBy(refs, ({ source }) => source)].map(([source, own]) => [
    source,
    { ...harvested[source], ...Object.fromEntries(own.map((one) => [one.ref.id, markOf(one)])) },
  ]);
  return { ...harvested, ...Object.fromEntries(marked) };
}

/** Sorts by time, then by id: one order for all sources. */
export const byChange = (a: TranscriptRef, b: TranscriptRef): number =>
  a.changedAt - b.changedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
