import { harvest } from "./harvest.ts";
import { openSources } from "../../adapters/transcripts/sources.ts";
import { hasModel } from "../../config/resolve/resolve-models.ts";
import { modelId } from "../../config/resolve/resolve-model.ts";
import type { Config } from "../../config/schema.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import { lookbackStart } from "../../config/lookback.ts";
import { type Digest, type SourceName, sourceNames } from "../../core/ports/conversation.ts";
import { withCommit } from "./commit-at.ts";
import type { Consent } from "../consent.ts";
import { triesOf } from "../memory/harvested.ts";
import { readOwnMemories } from "../memory/own-memories.ts";
import { type DocumentPlaces, findDocuments } from "./find-documents.ts";
import { redactConversation } from "./ingest.ts";
import type { PinnedNight } from "./pin-night.ts";
import type { SleepPlace } from "../place.ts";
import type { SleepState } from "../state.ts";

export interface Gathered extends Omit<PinnedNight, "id" | "at"> {}

export interface GatherInput {
  readonly place: SleepPlace;
  readonly consent: Consent;
  readonly state: SleepState;
  readonly redactor: Redactor;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Reads the newest unread conversations, removes secrets, and finds the texts to improve. Writes nothing. */
export async function gather(input: GatherInput, max: number): Promise<Gathered> {
  const { place, consent, state, redactor } = input;
  const by = hasModel(place.config, place.env) ? readBy(place.config) : "no model";
  const { conversations, refs, left, older, strange, ...read } = await harvest({
    ...allowed(input),
    harvested: state.harvested,
    by,
    usual: state.usual,
    max,
    prepare: async (raw) => redactConversation(await withCommit(raw), redactor),
  });
  const inUse = sourcesInUse(conversations, state.archive);
  const { documents, ...found } = await findDocuments(
    conversations.flatMap(({ skills }) => skills),
    inUse,
    placesOf(place, consent),
  );
  const memories = await readOwnMemories(inUse, place, redactor);
  const notes = [
    ...found.notes,
    ...strange,
    ...(left > 0
      ? [
          `${left} unread ${left === 1 ? "conversation waits" : "conversations wait"} for the next nights, newest first.`,
        ]
      : []),
    ...(older > 0 ? [olderNote(older, input)] : []),
    ...(await unallowedNotes(input)),
  ];
  const places = refs.map((ref, at) => ({
    conversation: conversations[at]?.id ?? "",
    tries: triesOf(state.harvested, ref, by),
    ...ref,
  }));
  return { conversations, documents, memories, notes, left, older, by, places, ...read };
}

/** The conversations of this project that nights may read. */
export const allowed = ({ place, consent, now }: Pick<GatherInput, "place" | "consent" | "now">) => ({
  sources: openSources({ ...place, places: place.settings.places }, consent.sources),
  project: place.project,
  since: Math.max(lookbackStart(place.settings.lookback, now), consent.since ?? 0),
  exclude: consent.exclude,
});

/** Raise it when a reader learns to read more than before. */
const readerVersion = 1;

/** The reader and the miner. Others try again. */
function readBy({ miner, optimizer }: Config): string {
  const chosen = miner ?? optimizer;
  return `${readerVersion} ${chosen === undefined ? "" : modelId(chosen)}`;
}

/** Tonight's agents and those of earlier nights, whose files still count even if another agent was used today. */
export const sourcesInUse = (
  conversations: readonly Pick<Digest, "source">[],
  archive: GatherInput["state"]["archive"],
): readonly SourceName[] => [
  ...conversations.map(({ source }) => source),
  ...archive
    .flatMap(({ seen }) => seen.map((id) => id.slice(0, id.indexOf(":"))))
    .flatMap((name) => sourceNames.find((source) => source === name) ?? []),
];

function olderNote(older: number, { place, consent, now }: GatherInput): string {
  const one = older === 1 ? "conversation is" : "conversations are";
  const isConsent = (consent.since ?? 0) > lookbackStart(place.settings.lookback, now);
  return isConsent
    ? `${older} unread ${one} older than you allowed: \`whetstone sleep init --lookback all\` allows all.`
    : `${older} unread ${one} older than ${place.settings.lookback}: \`--lookback all\` reads them too.`;
}

/** Notes about other agents' conversations of this project. Only the parts that name their folder are read. */
async function unallowedNotes({ place, consent }: GatherInput): Promise<readonly string[]> {
  const { settings, project, home, env } = place;
  const others = sourceNames.filter((name) => !consent.sources.includes(name));
  const notes: string[] = [];
  for (const source of openSources({ home, env, places: settings.places }, others)) {
    const { length } = await source.list({ project, since: consent.at }).catch(() => []);
    if (length > 0)
      notes.push(
        `${source.name} has ${length} newer ${length === 1 ? "conversation" : "conversations"} of this project that you haven't allowed: \`whetstone sleep init\` asks again.`,
      );
  }
  return notes;
}

export const placesOf = (
  { project, home, settings: { memory, skillRoots } }: SleepPlace,
  { files }: Pick<Consent, "files">,
): DocumentPlaces => ({ project, home, skillRoots, memory, allowed: files });
