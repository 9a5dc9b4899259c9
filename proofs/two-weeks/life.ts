import { settle } from "./settle.ts";
import { type Review, review, runNight } from "../../src/index.ts";
import { readNightState } from "../../test/support/night-files.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type HabitName, habitOfSentence, habits } from "./habits.ts";
import { type Recording, fortnight, sceneTalks, writeTalk } from "./scene.ts";
import { sceneWorld } from "./world.ts";

export interface LifeOptions {
  readonly seed: number;
  readonly noise: number;
  readonly nights: number;
  readonly recordings: readonly Recording[];
}

/** What the nights of one developer came to. Habits are counted once, whatever wishes they were split into. */
export interface Life {
  /** Habits that were offered by the third night. */
  readonly offered: number;
  /** Texts that were ever proposed, for each habit among them. */
  readonly wordings: number;
  /** What was dropped and proposed again without having been said again; and what was dropped. */
  readonly back: number;
  readonly dropped: number;
  /** Habits with a right wording that works by night 14, and that is proven by night 42. */
  readonly works: number;
  readonly proven: number;
  /** Wordings that do nothing and were measured; those of them that ever worked or were proven. */
  readonly useless: number;
  readonly falselyWorks: number;
  readonly falselyProven: number;
  /** Proposed texts that belong to no habit. */
  readonly strange: readonly string[];
  readonly calls: number;
}

const [dayMs, hourMs] = [86_400_000, 3_600_000];

/** The habits whose wishes are dropped in the morning after this night; they are said again some nights later. */
const dropping = { after: 4, habits: ["german", "cents"] as readonly HabitName[] };

/** What a person decides has the hour of the real clock: the scene is laid so that they drop something today. */
const firstDay = (Math.floor(Date.now() / dayMs) - dropping.after) * dayMs;

export async function live({ seed, noise, nights, recordings }: LifeOptions): Promise<Life> {
  using root = temporaryDirectory("two-weeks");
  const scene = await settle(root.path, { seed, world: sceneWorld({ seed, noise }), at: firstDay });
  const { home, project, journalDir, config } = scene;
  await using server = scene.server;
  const waiting = [...sceneTalks(recordings, firstDay, Math.ceil(nights / fortnight))];
  const diary = openDiary();
  for (let night = 1; night <= nights; night += 1) {
    const at = firstDay + night * dayMs + 3.3 * hourMs;
    while (waiting[0] !== undefined && waiting[0].endedAt <= at) {
      const talk = waiting.shift();
      if (talk !== undefined) writeTalk({ home, project }, talk);
    }
    await atInstant(at, () => runNight({ ...config, cwd: project }));
    const wishes = readNightState(journalDir)?.wishes ?? [];
    const said = new Map(wishes.map((wish) => [wish.id, wish.said] as const));
    const habitOf = (wish: string | undefined) =>
      habitOfSentence((said.get(wish ?? "") ?? []).map(({ text }) => text).join("\n"))?.name;
    const { waiting: offered } = await review({ journal: journalDir });
    const staged = offered.filter((one) => one.night === nightName(night));
    const lastSaid = (wish: string) => Math.max(0, ...(said.get(wish) ?? []).map((one) => one.at));
    diary.note(night, staged, { habitOf, lastSaid });
    if (night === dropping.after) await dropWishes(journalDir, staged, habitOf, diary);
  }
  return diary.read(server.callCount);
}

/** The hour of the night, for all that asks what time it is. */
export async function atInstant<T>(at: number, live: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => at;
  try {
    return await live();
  } finally {
    Date.now = now;
  }
}

const nightName = (night: number): string => String(night).padStart(4, "0");

/** As a person does who wants to hear no more of it for now. */
async function dropWishes(
  journalDir: string,
  reviews: readonly Review[],
  habitOf: (wish: string | undefined) => HabitName | undefined,
  diary: Diary,
): Promise<void> {
  for (const { id, rules } of reviews) {
    const unwanted = rules.filter(({ wish }) => dropping.habits.includes(habitOf(wish?.id) ?? "pnpm"));
    if (unwanted.length === 0) continue;
    await review({ journal: journalDir, run: id, drop: unwanted.map((rule) => rule.id) });
    for (const { wish } of unwanted) if (wish !== undefined) diary.dropped(wish.id, Date.now());
  }
}

interface Facts {
  readonly habitOf: (wish: string | undefined) => HabitName | undefined;
  readonly lastSaid: (wish: string) => number;
}

interface Diary {
  note(night: number, staged: readonly Review[], facts: Facts): void;
  dropped(wish: string, at: number): void;
  read(calls: number): Life;
}

function openDiary(): Diary {
  const offered = new Map<HabitName, number>();
  const texts = new Map<string, HabitName | undefined>();
  const droppedAt = new Map<string, number>();
  const [back, works, proven] = [
    new Set<string>(),
    new Map<HabitName, number>(),
    new Map<HabitName, number>(),
  ];
  const useless = new Map<string, "measured" | "works" | "proven">();
  return {
    note(night, staged, { habitOf, lastSaid }) {
      for (const { text, wish, works: isWorking, status, evidence } of staged.flatMap((one) => one.rules)) {
        const spoken = habitOf(wish?.id) ?? habits.find(({ knows }) => knows.test(text))?.name;
        texts.set(text, spoken);
        if (spoken !== undefined && !offered.has(spoken)) offered.set(spoken, night);
        const since = droppedAt.get(wish?.id ?? "");
        if (since !== undefined && lastSaid(wish?.id ?? "") <= since) back.add(wish?.id ?? "");
        const habit = habits.find(({ name, knows }) => name === spoken && knows.test(text))?.name;
        const word = status === "proven" ? "proven" : isWorking ? "works" : "measured";
        if (habit === undefined && evidence.length > 0) {
          const before = useless.get(text) ?? "measured";
          useless.set(text, before === "proven" || word === "measured" ? before : word);
        }
        if (habit !== undefined && word !== "measured" && !works.has(habit)) works.set(habit, night);
        if (habit !== undefined && word === "proven" && !proven.has(habit)) proven.set(habit, night);
      }
    },
    dropped: (wish, at) => void droppedAt.set(wish, at),
    read(calls) {
      const by = (nights: ReadonlyMap<HabitName, number>, last: number) =>
        [...nights.values()].filter((night) => night <= last).length;
      const known = [...texts].filter(([, habit]) => habit !== undefined);
      const ends = [...useless.values()];
      return {
        offered: by(offered, 3),
        wordings: known.length / Math.max(1, new Set(known.map(([, habit]) => habit)).size),
        back: back.size,
        dropped: droppedAt.size,
        works: by(works, 14),
        proven: by(proven, 42),
        useless: ends.length,
        falselyWorks: ends.filter((end) => end !== "measured").length,
        falselyProven: ends.filter((end) => end === "proven").length,
        strange: [...texts].flatMap(([text, habit]) => (habit === undefined ? [text] : [])),
        calls,
      };
    },
  };
}
