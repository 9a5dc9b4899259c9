import type { TranscriptRef, TranscriptSource } from "../../core/ports/transcripts.ts";
import type { RawConversation } from "../../core/sleep/mine/digest.ts";
import { excludedBy } from "../../core/sleep/mine/exclusion.ts";
import { advance, byChange, type HarvestCursors, isAhead } from "../../core/sleep/memory/harvest-cursor.ts";

export interface HarvestRequest<Taken> {
  readonly sources: readonly TranscriptSource[];
  /** The folder; conversations in it and below it are taken, never those above. */
  readonly project: string;
  /** How far earlier nights came. Without one for a source, it is read from `since` on: leave all out to look again. */
  readonly cursors: HarvestCursors;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Conversations at most; what is left comes the next time. */
  readonly max: number;
  /** What keeps a conversation out (`excludedBy`). */
  readonly exclude: readonly string[];
  /** What is made of each; one of which it cannot be made is left out and named. */
  readonly prepare: (conversation: RawConversation) => Promise<Taken>;
}

export interface Harvest<Taken> {
  /** Oldest change first, over all sources. */
  readonly conversations: readonly Taken[];
  readonly cursors: HarvestCursors;
  /** By id, or by the name of a source that could not be read at all, with the reason in one sentence. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** How many the cap left for the next time. */
  readonly left: number;
}

/** The conversations of a project that were not dealt with yet, oldest first, so that a cap only ever delays. */
export async function harvest<Taken>(request: HarvestRequest<Taken>): Promise<Harvest<Taken>> {
  const skipped: { readonly id: string; readonly why: string }[] = [];
  const waiting: { readonly source: TranscriptSource; readonly ref: TranscriptRef }[] = [];
  for (const source of request.sources) {
    const cursor = request.cursors[source.name];
    try {
      const refs = await source.list({ project: request.project, since: cursor?.changedAt ?? request.since });
      waiting.push(...refs.filter((ref) => isAhead(cursor, ref)).map((ref) => ({ source, ref })));
    } catch (problem) {
      skipped.push({ id: source.name, why: `${source.place} could not be read: ${wordsOf(problem)}` });
    }
  }
  const ordered = waiting.toSorted((a, b) => byChange(a.ref, b.ref));
  const conversations: Taken[] = [];
  let cursors = request.cursors;
  let dealtWith = 0;
  for (const { source, ref } of ordered) {
    if (conversations.length >= request.max) break;
    const found = await take(source, ref, request);
    if ("why" in found) skipped.push({ id: ref.id, why: found.why });
    else conversations.push(found.taken);
    cursors = { ...cursors, [source.name]: advance(cursors[source.name], ref) };
    dealtWith++;
  }
  return { conversations, cursors, skipped, left: ordered.length - dealtWith };
}

async function take<Taken>(
  source: TranscriptSource,
  ref: TranscriptRef,
  { exclude, prepare }: HarvestRequest<Taken>,
): Promise<{ readonly taken: Taken } | { readonly why: string }> {
  try {
    const found = await source.read(ref);
    if ("skipped" in found) return { why: found.skipped };
    const pattern = excludedBy(found, exclude);
    if (pattern !== undefined) return { why: `It is excluded by ${JSON.stringify(pattern)}.` };
    return { taken: await prepare(found) };
  } catch (problem) {
    return { why: `It could not be read: ${wordsOf(problem)}` };
  }
}

const wordsOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
