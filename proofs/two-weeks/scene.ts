import { hash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "../../src/ports.ts";
import { laterTalk, mineTalk } from "./habits.ts";
import { type RecordedTalk, type TalkAgent, talks } from "./talks.ts";

/** Where the talks were recorded, as far as their files say. */
export const recordedHome = "/home/dev";
export const recordedProject = "/home/dev/code/ledgerly";

/** A conversation as an agent wrote it down: its records, one a line. */
export interface Recording {
  readonly talk: RecordedTalk;
  /** The agent's own id of it. */
  readonly session: string;
  readonly records: readonly Json[];
}

const dayMs = 86_400_000;
export const fortnight = 14;

/** What `record.ts` wrote into a folder. */
export function readRecordings(folder: string): readonly Recording[] {
  const names = readdirSync(folder).toSorted();
  return talks.map((talk, at) => {
    const name = names.find((one) => one.startsWith(`${String(at).padStart(2, "0")}-`)) ?? "";
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    return {
      talk,
      session: name.slice(3, -".jsonl".length),
      records: lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Json),
    };
  });
}

/** A conversation of the scene: one that was recorded, with other words in later weeks. */
export interface SceneTalk {
  readonly recording: Recording;
  /** When it ends, in milliseconds since the epoch. */
  readonly endedAt: number;
  /** The agent's own id of it. */
  readonly session: string;
  /** Texts of the recording and what stands there instead. */
  readonly words: ReadonlyMap<string, string>;
}

/**
 * The conversations of some fortnights from a first day on, in their order. The first fortnight is as it was recorded; later
 * ones have the same days and habits with other requests, put into the files of recorded talks with the same agent. Small talk
 * comes again as it was; the secret and the poisoned page do not.
 */
export function sceneTalks(
  recordings: readonly Recording[],
  firstDay: number,
  fortnights: number,
): readonly SceneTalk[] {
  const asked = new Map<string, number>();
  const all: SceneTalk[] = [];
  for (let round = 0; round < fortnights; round += 1)
    for (const recording of recordings) {
      const [days, hour, agent, turns] = recording.talk;
      const endedAt = firstDay + ((round + 1) * fortnight - days) * dayMs + hour * 3_600_000;
      const session = round === 0 ? recording.session : uuid(`${recording.session} ${round}`);
      const first = turns[0]?.[0] ?? "";
      const habit = mineTalk(first)?.habit;
      if (round === 0 || (habit === undefined && turns.length === 1)) {
        all.push({ recording, endedAt, session, words: new Map() });
        continue;
      }
      const nth = asked.get(habit ?? "") ?? 0;
      const talk = habit === undefined ? undefined : laterTalk(habit, nth);
      const form = recordings.find(
        (one) => one.talk[2] === agent && mineTalk(one.talk[3][0]?.[0] ?? "") !== undefined,
      );
      if (habit === undefined || talk === undefined || form === undefined) continue;
      asked.set(habit, nth + 1);
      all.push({ recording: form, endedAt, session, words: wordsOf(form.talk, talk) });
    }
  return all.toSorted((a, b) => a.endedAt - b.endedAt);
}

/** Another request and correction in the form of a recorded talk. */
function wordsOf(
  [, , , turns]: RecordedTalk,
  { request, correction }: { readonly request: string; readonly correction: string },
): ReadonlyMap<string, string> {
  const [first, second] = turns;
  return new Map([
    [first?.[0] ?? "", request],
    [first?.[2] ?? "", "Done."],
    [second?.[0] ?? "", correction],
    [second?.[2] ?? "", "Changed."],
  ]);
}

/** Writes a conversation into the history of its agent below a home, as if it had been held in this project. */
export function writeTalk(
  { home, project }: { readonly home: string; readonly project: string },
  talk: SceneTalk,
): void {
  const { recording, endedAt, session, words } = talk;
  const times = JSON.stringify(recording.records).match(/(?<=")20\d\d-\d\d-\d\dT[\d:.]+Z(?=")/g) ?? [];
  const delta = endedAt - Math.max(...times.map((time) => Date.parse(time)));
  const change = (text: string): string => {
    if (instant.test(text)) return new Date(Date.parse(text) + delta).toISOString();
    let changed = text.replaceAll(recording.session, session);
    for (const [from, to] of words) changed = changed.replaceAll(from, to);
    return changed.replaceAll(recordedProject, project).replaceAll(recordedHome, home);
  };
  const path = pathOf(recording.talk[2], session, endedAt, { home, project });
  mkdirSync(dirname(path), { recursive: true });
  const lines = recording.records.map((record) => `${JSON.stringify(mapTexts(record, change))}\n`);
  writeFileSync(path, lines.join(""));
  utimesSync(path, endedAt / 1000, endedAt / 1000);
}

const instant = /^20\d\d-\d\d-\d\dT[\d:.]+Z$/;

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one as Json, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one as Json, change)]));
}

export function pathOf(
  agent: TalkAgent,
  session: string,
  endedAt: number,
  { home, project }: { readonly home: string; readonly project: string },
): string {
  if (agent === "claude-code")
    return join(home, ".claude", "projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"), `${session}.jsonl`);
  const [day = "", time = ""] = new Date(endedAt).toISOString().split("T");
  const name = `rollout-${day}T${time.slice(0, 8).replaceAll(":", "-")}-${session}.jsonl`;
  return join(home, ".codex", "sessions", ...day.split("-"), name);
}

/** A reproducible id in the form of a UUID. */
function uuid(name: string): string {
  const hex = hash("sha256", name);
  return [8, 12, 16, 20, 32].map((end, at, ends) => hex.slice(ends[at - 1] ?? 0, end)).join("-");
}
