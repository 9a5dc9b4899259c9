import type { Redactor } from "../../core/ports/redactor.ts";
import type { TranscriptRef, TranscriptSource } from "../../core/ports/transcripts.ts";
import type { RawConversation } from "../../core/sleep/digest.ts";
import { excludedBy } from "../../core/sleep/exclusion.ts";
import { advance, byChange, type HarvestCursors, isAhead } from "../../core/sleep/harvest-cursor.ts";

export interface HarvestRequest {
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
  /** With it, prompts, answers, paths and branch are returned without secrets. Outputs of tools stay as they are. */
  readonly redactor?: Redactor;
}

export interface Harvest {
  /** Oldest change first, over all sources. */
  readonly conversations: readonly RawConversation[];
  readonly cursors: HarvestCursors;
  /** By id, or by the name of a source that could not be read at all, with the reason in one sentence. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** How many the cap left for the next time. */
  readonly left: number;
}

/** The conversations of a project that were not dealt with yet, oldest first, so that a cap only ever delays. */
export async function harvest(request: HarvestRequest): Promise<Harvest> {
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
  const conversations: RawConversation[] = [];
  let cursors = request.cursors;
  let dealtWith = 0;
  for (const { source, ref } of ordered) {
    if (conversations.length >= request.max) break;
    const found = await take(source, ref, request);
    if ("why" in found) skipped.push({ id: ref.id, why: found.why });
    else conversations.push(found);
    cursors = { ...cursors, [source.name]: advance(cursors[source.name], ref) };
    dealtWith++;
  }
  return { conversations, cursors, skipped, left: ordered.length - dealtWith };
}

async function take(
  source: TranscriptSource,
  ref: TranscriptRef,
  { exclude, redactor }: HarvestRequest,
): Promise<RawConversation | { readonly why: string }> {
  try {
    const found = await source.read(ref);
    if ("skipped" in found) return { why: found.skipped };
    const pattern = excludedBy(found, exclude);
    if (pattern !== undefined) return { why: `It is excluded by ${JSON.stringify(pattern)}.` };
    return redactor === undefined ? found : await withoutSecrets(found, redactor);
  } catch (problem) {
    return { why: `It could not be read: ${wordsOf(problem)}` };
  }
}

async function withoutSecrets(found: RawConversation, redactor: Redactor): Promise<RawConversation> {
  const clean = async (text: string): Promise<string> => (await redactor.redact(text)).text;
  const turns = [];
  for (const { prompt, answer } of found.turns)
    turns.push({ prompt: await clean(prompt), answer: await clean(answer) });
  const files = [];
  for (const path of found.files) files.push(await clean(path));
  const branch = found.branch === undefined ? {} : { branch: await clean(found.branch) };
  return { ...found, ...branch, turns, files };
}

const wordsOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
