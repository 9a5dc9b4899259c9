import { drawNormal, oddsShift, passRate } from "../../src/core/gate/claim/task-model.ts";

/** Effects on the true mean score of an edit, and how often each occurs. */
const effects = [-0.05, -0.02, 0, 0.02, 0.05, 0.1] as const;
export const mixes = {
  mild: [0.2, 0.2, 0.3, 0.15, 0.1, 0.05],
  hostile: [0.3, 0.3, 0.3, 0.06, 0.03, 0.01],
  worthless: [0, 0, 1, 0, 0, 0],
} as const;

/** Of the log odds over tasks. */
export const spread = 1.5;
/** An edit touches this share of tasks and moves the log odds of each by its shift plus a normal of sd 1. */
const touched = 0.3;

/** The effect of one edit. */
export function drawEffect(mix: keyof typeof mixes, random: () => number): number {
  let rest = random();
  for (const [at, effect] of effects.entries()) {
    rest -= mixes[mix][at] ?? 0;
    if (rest < 0) return effect;
  }
  return 0;
}

/** Nothing gets better than 98.5% or worse than 2%. */
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

const middles = new Map<number, number>();

/** The middle of the log odds at which the mean score is `base`. */
export function middleFor(base: number): number {
  const known = middles.get(base);
  if (known !== undefined) return known;
  const middle = oddsShift({ middle: 0, spread }, base - 0.5);
  middles.set(base, middle);
  return middle;
}
