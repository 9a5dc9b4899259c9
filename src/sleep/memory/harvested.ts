import type { TranscriptRef } from "../../core/ports/transcripts.ts";
import type { SourceName } from "../../core/ports/conversation.ts";

/**
 * The conversations that nights have dealt with, by source and id. Each has the instant of the change up to which it was read,
 * or how often that was tried. A list and not a place in time: nights read the newest first, and what they leave
 * stays to be read.
 */
export type Harvested = Readonly<Partial<Record<SourceName, Readonly<Record<string, number | TriedRead>>>>>;

/** A conversation that nobody could read or mine yet. */
export interface TriedRead {
  readonly changedAt: number;
  readonly tries: number;
  /** The reader and the miner that tried: others begin again. */
  readonly by: string;
}

/** After so many tries a conversation waits for another reader or miner. */
export const mostTries = 3;

/** A place in the history of one agent. */
export interface ReadRef {
  readonly source: SourceName;
  readonly ref: Pick<TranscriptRef, "id" | "changedAt">;
}

/** Whether a conversation is still to be dealt with. One that went on since it was read is, again. */
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

/** How often this reader and this miner have tried in vain. */
export function triesOf(harvested: Harvested, { source, ref }: ReadRef, by: string): number {
  const known = harvested[source]?.[ref.id];
  return typeof known === "object" && known.by === by && known.changedAt === ref.changedAt ? known.tries : 0;
}

/** With conversations that were dealt with by now. */
export const markRead = (harvested: Harvested, read: readonly ReadRef[]): Harvested =>
  mark(harvested, read, ({ ref }) => ref.changedAt);

/** With conversations that were tried once more than `before` says, in vain. */
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

/** By instants, then by ids: one order for all sources. */
export const byChange = (a: TranscriptRef, b: TranscriptRef): number =>
  a.changedAt - b.changedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
