import type { TranscriptRef, TranscriptSource } from "../../core/ports/transcripts.ts";
import type { RawConversation } from "../../core/ports/conversation.ts";
import {
  type Harvested,
  type ReadRef,
  byChange,
  isUnread,
  markRead,
  markTried,
} from "../memory/harvested.ts";
import { type Look, type UsualPrompts, addLooks, findStrange } from "./reader-canary.ts";

export interface HarvestRequest<Taken> {
  readonly sources: readonly TranscriptSource[];
  /** The project's folder: only conversations in it and below it are read. */
  readonly project: string;
  /** The conversations that earlier nights read; leave them out to read everything again. */
  readonly harvested: Harvested;
  /** The reader and the miner. Failures of others are tried again. @default an empty name */
  readonly by?: string;
  /** How many conversations earlier nights found a prompt in. @default none was read */
  readonly usual?: UsualPrompts;
  /** Milliseconds since the epoch. Older conversations are counted but not read. */
  readonly since: number;
  /** The most conversations to read; the rest come next time. */
  readonly max: number;
  /** Patterns that keep a conversation out (`excludedBy`). */
  readonly exclude: readonly string[];
  /** Converts each conversation; one that can't be converted is left out and named. */
  readonly prepare: (conversation: RawConversation) => Promise<Taken>;
}

export interface Harvest<Taken> {
  /** Over all sources, oldest change first. */
  readonly conversations: readonly Taken[];
  /** Their places, in the same order. */
  readonly refs: readonly ReadRef[];
  /** All read conversations, including these. */
  readonly harvested: Harvested;
  /** By id, or by the name of a source that couldn't be read at all, each with a reason in one sentence. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** How many wait for the next time because of the limit. */
  readonly left: number;
  /** How many unread ones are older than requested. */
  readonly older: number;
  /** The counts including these. */
  readonly usual: UsualPrompts;
  /** Agents whose format has changed, one sentence each. Their conversations wait for a reader that knows it. */
  readonly strange: readonly string[];
}

/** The newest unread conversations of a project. The limit only delays: older ones come next time. */
export async function harvest<Taken>(request: HarvestRequest<Taken>): Promise<Harvest<Taken>> {
  const { by = "", usual = {} } = request;
  const skipped: { readonly id: string; readonly why: string }[] = [];
  const waiting: { readonly source: TranscriptSource; readonly ref: TranscriptRef }[] = [];
  for (const source of request.sources) {
    try {
      const refs = await source.list({ project: request.project, since: 0 });
      const unread = refs.filter((ref) => isUnread(request.harvested, { source: source.name, ref }, by));
      waiting.push(...unread.map((ref) => ({ source, ref })));
    } catch (problem) {
      skipped.push({ id: source.name, why: `${source.place} couldn't be read: ${wordsOf(problem)}` });
    }
  }
  const ordered = waiting.toSorted((a, b) => byChange(b.ref, a.ref));
  const wanted = ordered.filter(({ ref }) => ref.changedAt >= request.since);
  const taken: { readonly one: Taken; readonly ref: ReadRef }[] = [];
  const [read, tried, looks]: [ReadRef[], ReadRef[], Look[]] = [[], [], []];
  for (const { source, ref } of wanted) {
    if (taken.length >= request.max) break;
    const own = { source: source.name, ref };
    const found = await take(source, ref, request);
    if ("taken" in found) taken.push({ one: found.taken, ref: own });
    else skipped.push({ id: ref.id, why: found.why });
    if ("failed" in found) tried.push(own);
    else read.push(own);
    if ("isEmpty" in found) looks.push({ ...own, isEmpty: found.isEmpty, version: found.version });
  }
  const strange = findStrange(looks, usual);
  const isStrange = ({ ref }: ReadRef) => strange.some(({ refs }) => refs.includes(ref.id));
  const done = markRead(
    request.harvested,
    read.filter((one) => !isStrange(one)),
  );
  return {
    conversations: taken.map(({ one }) => one).toReversed(),
    refs: taken
      .map(({ ref: { source, ref } }) => ({ source, ref: { id: ref.id, changedAt: ref.changedAt } }))
      .toReversed(),
    harvested: markTried(done, tried, { by, before: request.harvested }),
    skipped,
    left: wanted.length - read.length - tried.length,
    older: ordered.length - wanted.length,
    usual: addLooks(
      usual,
      looks.filter((look) => !isStrange(look)),
    ),
    strange: strange.map(({ sentence }) => sentence),
  };
}

type Took<Taken> =
  | { readonly taken: Taken; readonly isEmpty: boolean; readonly version: string }
  | { readonly why: string; readonly isEmpty: boolean; readonly version: string }
  | { readonly why: string }
  | { readonly why: string; readonly failed: true };

async function take<Taken>(
  source: TranscriptSource,
  ref: TranscriptRef,
  { exclude, prepare }: HarvestRequest<Taken>,
): Promise<Took<Taken>> {
  try {
    const found = await source.read(ref);
    const { version = "" } = found;
    if ("skipped" in found)
      return { why: found.skipped, ...(found.isEmpty === true ? { isEmpty: true, version } : {}) };
    const pattern = excludedBy(found, exclude);
    if (pattern !== undefined)
      return { why: `It is excluded by ${JSON.stringify(pattern)}.`, isEmpty: false, version };
    return { taken: await prepare(found), isEmpty: false, version };
  } catch (problem) {
    return { why: `It couldn't be read: ${wordsOf(problem)}`, failed: true };
  }
}

const wordsOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));

/**
 * The first pattern that keeps a conversation out. A pattern with `*` is a glob for the paths of the files it wrote, its folder
 * and its branch. `**` also crosses `/`, and a glob without `/` matches the last name of a path. Any other pattern is text that
 * occurs in one of these or in a prompt, ignoring case.
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
