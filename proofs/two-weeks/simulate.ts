import { type Measured, isUndecided, standingsOf } from "../../src/core/rules/evidence/standing.ts";
import { tossChance } from "../../src/core/rules/evidence/toss.ts";
import { seededRandom } from "../../src/testing/index.ts";
import { type HabitName, habits, mineTalk } from "./habits.ts";
import { type Recording, sceneTalks } from "./scene.ts";

export interface SimulatedScene {
  /** Habits whose wording works by night 14, and is proven by night 42. */
  readonly works: number;
  readonly proven: number;
  /** Useless wordings that are said to work or to be proven. */
  readonly false: number;
  readonly useless: number;
}

const [tosses, wordsWell] = [3, 0.85];

/** The habits that are spoken of before each night of six weeks. */
export function sceneHabits(recordings: readonly Recording[]): ReadonlyMap<number, readonly HabitName[]> {
  const spoken = sceneTalks(recordings, 0, 3).flatMap(({ recording, words, endedAt }) => {
    const first = recording.talk[3][0]?.[0] ?? "";
    const habit = mineTalk(words.get(first) ?? first)?.habit;
    return habit === undefined ? [] : [{ habit, night: Math.ceil(endedAt / 86_400_000) }];
  });
  const byNight = Map.groupBy(spoken, ({ night }) => night);
  return new Map([...byNight].map(([night, own]) => [night, own.map(({ habit }) => habit)]));
}

/** The scene with dice instead of models: whether its few tasks can come to a word at all. */
export function simulateScene(
  spoken: ReadonlyMap<number, readonly HabitName[]>,
  noise: number,
  seed: number,
): SimulatedScene {
  const random = seededRandom("two-weeks-simulated", seed, noise);
  const isUseful = new Map(habits.map(({ name }) => [name, random() < wordsWell]));
  const said = new Map<HabitName, number>();
  const wordings = new Map<HabitName, Measured>(habits.map(({ name }) => [name, { evidence: [] }]));
  const works = new Set<HabitName>();
  const standings = () => {
    const found = standingsOf([...wordings.values()]);
    return new Map([...wordings.keys()].map((name, at) => [name, found[at] ?? "open"]));
  };
  let worksByFourteen = 0;
  const score = (isRight: boolean) => Number(random() < noise ? random() < 0.5 : isRight);
  for (let night = 1; night <= 42; night += 1) {
    const before = standings();
    for (const habit of spoken.get(night) ?? []) {
      const times = said.get(habit) ?? 0;
      said.set(habit, times + 1);
      const known = wordings.get(habit) ?? { evidence: [] };
      // the first conversation is what the wording is made from
      if (times === 0 || !isUndecided(before.get(habit) ?? "open")) continue;
      const task = {
        task: `${habit}-${times}`,
        night: String(night),
        isOwn: true,
        tosses: Array.from({ length: tosses }, () => ({
          on: true,
          chance: tossChance,
          score: score(isUseful.get(habit) === true),
          other: score(false),
        })),
      };
      wordings.set(habit, { weight: times, ...known, evidence: [...known.evidence, task] });
    }
    for (const [name, standing] of standings()) {
      const wording = wordings.get(name) ?? { evidence: [] };
      if (standing === "proven") wordings.set(name, { proven: String(night), ...wording });
      if (standing === "proven" || standing === "works") works.add(name);
    }
    if (night === 14) worksByFourteen = [...works].filter((name) => isUseful.get(name)).length;
  }
  return {
    works: worksByFourteen,
    proven: habits.filter(({ name }) => isUseful.get(name) && wordings.get(name)?.proven !== undefined)
      .length,
    false: [...works].filter((name) => !isUseful.get(name)).length,
    useless: habits.filter(({ name }) => !isUseful.get(name)).length,
  };
}
