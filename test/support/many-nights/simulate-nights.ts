import { seededRandom } from "../../../src/core/random.ts";
import {
  type Measured,
  type WishStanding,
  isUndecided,
  mostPromising,
  standingsOf,
} from "../../../src/core/rules/evidence/standing.ts";
import { type TaskEvidence, tossChance, tossCoins } from "../../../src/core/rules/evidence/toss.ts";

/**
 * What the wording of a wish does. `useful`: it puts the tasks of its habit right. `useless`: nothing. `mixed`: it puts three in ten of
 * them right and ruins the others, which is no gain on average. `harmful`: it ruins half of them. `spoils`: it is useful, and
 * ruins half of all other tasks.
 */
export type Kind = "useful" | "useless" | "mixed" | "harmful" | "spoils";

/** The wishes of five habits. A task is of one habit, so each wish concerns a fifth of the tasks. */
export const habits: readonly (readonly Kind[])[] = [
  ["useful", "spoils", "useless"],
  ["useful", "useless", "useless"],
  ["useful", "useless", "useless"],
  ["mixed", "useless", "useless"],
  ["harmful", "useless", "useless"],
];

export interface Days {
  readonly seed: number;
  readonly conversations: number;
  /** The share of results that are a coin's. */
  readonly noise: number;
  readonly nights: number;
  readonly tosses: number;
  /** Useful wordings do nothing either. */
  readonly isVain: boolean;
}

/** What became of one wish: the night on which it was first said, worked and was proven. */
export interface WishEnd {
  readonly kind: Kind;
  readonly said: number | null;
  readonly works: number | null;
  readonly proven: number | null;
  readonly standing: WishStanding;
}

export interface DaysEnd {
  readonly wishes: readonly WishEnd[];
  readonly rollouts: number;
}

interface SimulatedTask {
  /** What a task comes to without any wish: its chance to pass. */
  readonly own: number;
  readonly id: string;
  readonly habit: number;
  readonly conversation: string;
  /** One draw for each wish: which tasks those move that move a part. */
  readonly luck: readonly number[];
}

interface SimulatedWish {
  readonly id: string;
  readonly kind: Kind;
  readonly habit: number;
  readonly at: number;
  /** The conversation that its wording was made from. */
  readonly from: string;
  readonly first: number;
  said: number;
  works: number | null;
  measured: Measured;
}

/** Conversations that hold a task. */
const taskShare = 0.7;
const mostOpen = 12;
const mostTasks = 40;

/** One developer's nights, judged by the same code as real ones. Nothing is adopted. */
export function simulateNights(days: Days): DaysEnd {
  const random = seededRandom("many-nights", days.seed, days.conversations, days.noise, Number(days.isVain));
  const tasks: SimulatedTask[] = [];
  const wishes: SimulatedWish[] = [];
  let rollouts = 0;
  for (let night = 1; night <= days.nights; night += 1) {
    for (let nth = 0; nth < days.conversations; nth += 1)
      hear(`n${night}-${nth}`, night, tasks, wishes, random);
    rollouts += measureNight(night, { days, tasks, wishes, random });
    const standings = standingsOf(wishes.map(({ measured }) => measured));
    for (const [at, wish] of wishes.entries()) {
      if (standings[at] === "proven") wish.measured = { proven: String(night), ...wish.measured };
      if (standings[at] === "works" || standings[at] === "proven") wish.works ??= night;
    }
  }
  const standings = standingsOf(wishes.map(({ measured }) => measured));
  return {
    rollouts,
    wishes: wishes.map(({ kind, first, works, measured }, at) => ({
      kind: days.isVain && kind === "useful" ? "useless" : kind,
      said: first,
      works,
      proven: measured.proven === undefined ? null : Number(measured.proven),
      standing: standings[at] ?? "open",
    })),
  };
}

/** A conversation is of one habit, and says one of its wishes. */
function hear(
  conversation: string,
  night: number,
  tasks: SimulatedTask[],
  wishes: SimulatedWish[],
  random: () => number,
): void {
  const habit = Math.floor(random() * habits.length);
  const kinds = habits[habit] ?? [];
  const at = Math.floor(random() * kinds.length);
  const own = Math.floor(random() * 7) / 10;
  const luck = habits.flat().map(() => random());
  if (random() >= taskShare) return;
  tasks.push({ id: conversation, conversation, habit, own, luck });
  const known = wishes.find((wish) => wish.habit === habit && wish.at === at);
  if (known !== undefined) known.said += 1;
  else
    wishes.push({
      id: `${habit}-${at}`,
      kind: kinds[at] ?? "useless",
      habit,
      at,
      from: conversation,
      first: night,
      said: 1,
      works: null,
      measured: { evidence: [] },
    });
}

interface NightWorld {
  readonly days: Days;
  readonly tasks: readonly SimulatedTask[];
  readonly wishes: readonly SimulatedWish[];
  readonly random: () => number;
}

/** Rolls the fresh tasks of the most promising wishes; how many rollouts that took. */
function measureNight(night: number, { days, tasks, wishes, random }: NightWorld): number {
  const standings = standingsOf(wishes.map(({ measured }) => measured));
  const waiting = wishes
    .filter((wish, at) => isUndecided(standings[at] ?? "open") && freshTasks(wish, tasks).length > 0)
    .map((wish) => ({ wish, weight: wish.said, ...wish.measured }));
  const chosen = mostPromising(waiting, mostOpen).map(({ wish }) => wish);
  const fresh = new Map(chosen.map((wish) => [wish, new Set(freshTasks(wish, tasks))]));
  const rolled = [...new Set([...fresh.values()].flatMap((own) => [...own]))].slice(0, mostTasks);
  const found = new Map(chosen.map((wish) => [wish, [...wish.measured.evidence]]));
  for (const task of rolled) {
    const coins = chosen.map(({ id }) =>
      tossCoins({ seed: days.seed, night: String(night), task: task.id, wish: id }, days.tosses),
    );
    const scores = Array.from({ length: days.tosses }, (_, toss) => {
      const roll = (turned: boolean) =>
        Number(
          random() <
            chanceOf(
              task,
              chosen.filter((__, at) => coins[at]?.[toss] !== turned),
              days,
            ),
        );
      return { score: roll(false), other: roll(true) };
    });
    for (const [at, wish] of chosen.entries()) {
      const isOwn = wish.habit === task.habit;
      const isKnown = wish.measured.evidence.some((one) => one.task === task.id);
      if (isKnown || (isOwn && fresh.get(wish)?.has(task) !== true)) continue;
      const tosses = scores.map((both, toss) => ({
        on: coins[at]?.[toss] === true,
        chance: tossChance,
        ...both,
      }));
      found.get(wish)?.push({ task: task.id, night: String(night), isOwn, tosses });
    }
  }
  for (const [wish, evidence] of found)
    if (evidence.length > wish.measured.evidence.length)
      wish.measured = { weight: wish.said, ...wish.measured, evidence };
  return 2 * days.tosses * rolled.length;
}

function freshTasks(
  { habit, from, measured }: SimulatedWish,
  tasks: readonly SimulatedTask[],
): readonly SimulatedTask[] {
  const used = new Set(measured.evidence.map(({ task }: TaskEvidence) => task));
  return tasks.filter((task) => task.habit === habit && task.conversation !== from && !used.has(task.id));
}

/** The chance to pass a task with these wishes in the text. */
function chanceOf(task: SimulatedTask, on: readonly SimulatedWish[], { noise, isVain }: Days): number {
  const moves = on.map((wish) => moveOf(wish, task, isVain));
  const right = moves.includes("down") ? 0 : moves.includes("up") ? 1 : task.own;
  return (1 - noise) * right + noise / 2;
}

function moveOf(
  { kind, habit, at }: SimulatedWish,
  task: SimulatedTask,
  isVain: boolean,
): "up" | "down" | "none" {
  const luck = task.luck[habits.slice(0, habit).flat().length + at] ?? 0;
  const isOwn = habit === task.habit;
  if (kind === "spoils") return isOwn ? (isVain ? "none" : "up") : luck < 0.5 ? "down" : "none";
  if (!isOwn || kind === "useless" || (kind === "useful" && isVain)) return "none";
  if (kind === "useful") return "up";
  return kind === "mixed" ? (luck < 0.3 ? "up" : "down") : luck < 0.5 ? "down" : "none";
}
