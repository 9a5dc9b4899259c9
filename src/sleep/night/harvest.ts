import type { TranscriptRef, TranscriptSource } from "../../core/ports/transcripts.ts";
import type { RawConversation, SourceName } from "../../core/ports/conversation.ts";
import { type Harvested, byChange, isUnread, markRead } from "../memory/harvested.ts";

export interface HarvestRequest<Taken> {
  readonly sources: readonly TranscriptSource[];
  /** The folder; conversations in it and below it are taken, never those above. */
  readonly project: string;
  /** What earlier nights have read: leave all out to look again. */
  readonly harvested: Harvested;
  /** Milliseconds since the epoch: what changed before is not read, and is counted. */
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
  /** What is read once these are. */
  readonly harvested: Harvested;
  /** By id, or by the name of a source that could not be read at all, with the reason in one sentence. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** How many the cap left for the next time. */
  readonly left: number;
  /** How many that nobody read are older than what was asked for. */
  readonly older: number;
}

/** The newest conversations of a project that were not dealt with yet. A cap only ever delays: older ones come the next time. */
export async function harvest<Taken>(request: HarvestRequest<Taken>): Promise<Harvest<Taken>> {
  const skipped: { readonly id: string; readonly why: string }[] = [];
  const waiting: { readonly source: TranscriptSource; readonly ref: TranscriptRef }[] = [];
  for (const source of request.sources) {
    try {
      const refs = await source.list({ project: request.project, since: 0 });
      const unread = refs.filter((ref) => isUnread(request.harvested, source.name, ref));
      waiting.push(...unread.map((ref) => ({ source, ref })));
    } catch (problem) {
      skipped.push({ id: source.name, why: `${source.place} could not be read: ${wordsOf(problem)}` });
    }
  }
  const ordered = waiting.toSorted((a, b) => byChange(b.ref, a.ref));
  const wanted = ordered.filter(({ ref }) => ref.changedAt >= request.since);
  const taken: Taken[] = [];
  const read: { readonly source: SourceName; readonly ref: TranscriptRef }[] = [];
  for (const { source, ref } of wanted) {
    if (taken.length >= request.max) break;
    const found = await take(source, ref, request);
    if ("why" in found) skipped.push({ id: ref.id, why: found.why });
    else taken.push(found.taken);
    read.push({ source: source.name, ref });
  }
  return {
    conversations: taken.toReversed(),
    harvested: markRead(request.harvested, read),
    skipped,
    left: wanted.length - read.length,
    older: ordered.length - wanted.length,
  };
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

/**
 * The first pattern that keeps a conversation out. A pattern with `*` is a glob over the paths of the files it wrote, its folder
 * and its branch (`**` also crosses `/`; without a `/` it is matched with the last name of a path). Any other is a text that
 * occurs in one of these or in a prompt, in whichever case.
 */
function excludedBy(conversation: RawConversation, patterns: readonly string[]): string | undefined {
  const { files, project, branch, turns } = conversation;
  const paths = [...files, project, ...(branch === undefined ? [] : [branch])];
  const texts = [...paths, ...turns.map(({ prompt }) => prompt)].map((text) => text.toLowerCase());
  return patterns.find((pattern) => {
    if (pattern.trim() === "") return false;
    if (!pattern.includes("*")) return texts.some((text) => text.includes(pattern.toLowerCase()));
    const glob = globOf(pattern);
    return paths.some((path) => glob.test(path) || (!pattern.includes("/") && glob.test(lastName(path))));
  });
}

const lastName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;

function globOf(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/?|\*|[^*]+/g, (piece) => {
    if (piece === "**/") return "(?:.*/)?";
    if (piece === "**") return ".*";
    return piece === "*" ? "[^/]*" : piece.replace(/[\\^$.|?+()[\]{}]/g, "\\$&");
  });
  return new RegExp(`^${source}$`);
}
