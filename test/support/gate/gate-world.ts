import { drawNormal, oddsShift, passRate } from "../../../src/core/gate/filter/task-model.ts";
import { seededRandom } from "../../../src/core/random.ts";

/** Forty proposals, one val set: which of them does a gate keep, and what is that worth beyond val? */
export interface SearchCell {
  /** Val tasks. */
  readonly tasks: number;
  readonly base: number;
  readonly mix: keyof typeof mixes;
  readonly decisions: number;
  /** Factor on the size of every effect. */
  readonly scale: number;
  /** `graded`: the share of five independent checks that pass. `fixed`: the same result every time. */
  readonly scores: "pass-fail" | "graded" | "fixed";
  /** The share of helpful proposals falls to none over the run. */
  readonly isFalling: boolean;
}

/** Effects on the true mean score of an edit, and how often each occurs. */
const effects = [-0.05, -0.02, 0, 0.02, 0.05, 0.1] as const;
export const mixes = {
  mild: [0.2, 0.2, 0.3, 0.15, 0.1, 0.05],
  hostile: [0.3, 0.3, 0.3, 0.06, 0.03, 0.01],
  worthless: [0, 0, 1, 0, 0, 0],
} as const;

const populationSize = 3000;
/** Of the log odds over tasks. */
export const spread = 1.5;
/** An edit touches this share of tasks and moves the log odds of each by its shift plus a normal of sd 1. */
const touched = 0.3;

/** A skill is what it makes of tasks: their log odds of a pass. */
export interface WorldSkill {
  readonly population: Float64Array;
  readonly val: Float64Array;
  readonly sealed: Float64Array;
  /** True mean score over the population. */
  readonly score: number;
}

export interface SearchWorld {
  readonly original: WorldSkill;
  /** A candidate made from the incumbent. */
  propose(incumbent: WorldSkill, step: number): WorldSkill;
  /** One trial of a val task. */
  roll(skill: WorldSkill, task: number): number;
  /** One trial of a sealed task. */
  rollSealed(skill: WorldSkill, task: number): number;
}

/** The same cell and repetition give the same tasks and the same stream of edits, whichever gate is asked. */
export function searchWorld(
  cell: SearchCell,
  sealedTasks: number,
  repetition: number,
  seed: number,
): SearchWorld {
  const name = [seed, repetition, ...Object.values(cell).map(String)];
  const random = seededRandom("world", ...name);
  const dice = seededRandom("rollouts", ...name);
  const middle = middleFor(cell.base);
  const draw = (count: number) =>
    Float64Array.from({ length: count }, () => middle + spread * drawNormal(random));
  const trial = trialOf(cell.scores, dice);
  const drawn = { population: draw(populationSize), val: draw(cell.tasks), sealed: draw(sealedTasks) };
  return {
    original: { ...drawn, score: meanScore(drawn.population, cell.scores) },
    propose(incumbent, step) {
      const helpful = cell.isFalling ? 1 - step / cell.decisions : 1;
      const possible = within(cell.scale * drawEffect(cell.mix, random, helpful), incumbent.score);
      const moves = drawMoves(incumbent.population.length, random);
      const { shift, gain } = shiftFor(incumbent.population, moves, possible);
      const population = applyMoves(incumbent.population, moves, shift);
      return {
        population,
        val: applyMoves(incumbent.val, drawMoves(incumbent.val.length, random), shift),
        sealed: applyMoves(incumbent.sealed, drawMoves(incumbent.sealed.length, random), shift),
        score: cell.scores === "fixed" ? meanScore(population, "fixed") : incumbent.score + gain,
      };
    },
    roll: ({ val }, task) => trial(val[task] ?? 0),
    rollSealed: ({ sealed }, task) => trial(sealed[task] ?? 0),
  };
}

function trialOf(scores: SearchCell["scores"], dice: () => number): (odds: number) => number {
  if (scores === "fixed") return (odds) => (odds > 0 ? 1 : 0);
  if (scores === "pass-fail") return (odds) => (dice() < passRate(odds) ? 1 : 0);
  return (odds) => {
    const chance = passRate(odds);
    let passed = 0;
    for (let check = 0; check < 5; check += 1) if (dice() < chance) passed += 1;
    return passed / 5;
  };
}

/** The effect of one edit: `helpful` is the share of the helpful ones that still help. */
export function drawEffect(mix: keyof typeof mixes, random: () => number, helpful = 1): number {
  let rest = random();
  for (const [at, effect] of effects.entries()) {
    rest -= (mixes[mix][at] ?? 0) * (effect > 0 ? helpful : 1);
    if (rest < 0) return effect;
  }
  // what no longer helps does nothing
  return 0;
}

/** Nothing gets better than 98.5 % or worse than 2 %. */
export function within(effect: number, score: number): number {
  const room = effect > 0 ? Math.max(0.985 - score, 0) : Math.min(0.02 - score, 0);
  return effect > 0 ? Math.min(effect, room) : Math.max(effect, room);
}

/** Which tasks an edit touches, and how far each lies from the edit's shift. */
interface Moves {
  readonly tasks: Int32Array;
  readonly offsets: Float64Array;
}

export function drawMoves(count: number, random: () => number): Moves {
  const tasks: number[] = [];
  const offsets: number[] = [];
  for (let task = 0; task < count; task += 1) {
    if (random() >= touched) continue;
    tasks.push(task);
    offsets.push(drawNormal(random));
  }
  return { tasks: Int32Array.from(tasks), offsets: Float64Array.from(offsets) };
}

export function applyMoves(odds: Float64Array, { tasks, offsets }: Moves, shift: number): Float64Array {
  const moved = odds.slice();
  tasks.forEach((task, at) => {
    moved[task] = (odds[task] ?? 0) + shift + (offsets[at] ?? 0);
  });
  return moved;
}

/** The shift that moves the population's mean by the effect, and by how much it does: Newton's steps in a bracket. */
export function shiftFor(odds: Float64Array, { tasks, offsets }: Moves, effect: number) {
  let before = 0;
  for (const task of tasks) before += passRate(odds[task] ?? 0);
  const goal = before + effect * odds.length;
  let [low, high, shift] = [-12, 12, 0];
  for (let step = 1; ; step += 1) {
    let [sum, slope] = [0, 0];
    for (let at = 0; at < tasks.length; at += 1) {
      const chance = passRate((odds[tasks[at] as number] as number) + shift + (offsets[at] as number));
      sum += chance;
      slope += chance * (1 - chance);
    }
    const isClose = Math.abs(sum - goal) < 1e-6 * odds.length;
    if (isClose || high - low < 1e-6 || step === 40) return { shift, gain: (sum - before) / odds.length };
    if (sum < goal) low = shift;
    else high = shift;
    const next = shift - (sum - goal) / slope;
    shift = next > low && next < high ? next : (low + high) / 2;
  }
}

function meanScore(odds: Float64Array, scores: SearchCell["scores"]): number {
  let sum = 0;
  for (const one of odds) sum += scores === "fixed" ? Number(one > 0) : passRate(one);
  return sum / odds.length;
}

const middles = new Map<number, number>();

/** The middle of the log odds at which the mean score is `base`. */
export function middleFor(base: number): number {
  const known = middles.get(base);
  if (known !== undefined) return known;
  const middle = oddsShift({ middle: 0, spread }, base - 0.5);
  middles.set(base, middle);
  return middle;
}
