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
  /** The folder; conversations in it and below it are taken, never those above. */
  readonly project: string;
  /** What earlier nights have read: leave all out to look again. */
  readonly harvested: Harvested;
  /** The reader and the miner: what others tried in vain is tried again. @default nobody's name */
  readonly by?: string;
  /** In how many conversations earlier nights found a prompt. @default none was read */
  readonly usual?: UsualPrompts;
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
  /** Their places, in the same order. */
  readonly refs: readonly ReadRef[];
  /** What is read once these are. */
  readonly harvested: Harvested;
  /** By id, or by the name of a source that could not be read at all, with the reason in one sentence. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[];
  /** How many the cap left for the next time. */
  readonly left: number;
  /** How many that nobody read are older than what was asked for. */
  readonly older: number;
  /** The new counts, with these. */
  readonly usual: UsualPrompts;
  /** Agents that write differently by now: their conversations wait for a reader that knows how. One sentence each. */
  readonly strange: readonly string[];
}

/** The newest conversations of a project that were not dealt with yet. A cap only ever delays: older ones come the next time. */
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
      skipped.push({ id: source.name, why: `${source.place} could not be read: ${wordsOf(problem)}` });
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
    return { why: `It could not be read: ${wordsOf(problem)}`, failed: true };
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
