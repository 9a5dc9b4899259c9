/** The range of a plot of scores, in percent, with the ticks of its axis. */
export interface ScoreScale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

/** Round ends around the scores, never beyond 0 to 100. */
export function scoreScale(scores: readonly number[]): ScoreScale {
  if (scores.length === 0) return scoreScale([0, 1]);
  const [low, high] = [100 * Math.min(...scores), 100 * Math.max(...scores)];
  const each = high - low > 40 ? 20 : 10;
  const min = Math.max(0, Math.floor((low - 3) / each) * each);
  const max = Math.min(100, Math.ceil((high + 3) / each) * each);
  const ticks = Array.from({ length: Math.floor((max - min) / each) + 1 }, (_, at) => min + at * each);
  return { min, max, ticks };
}

/** The steps that get a number: all of them if there is room, else every second, fifth, tenth … */
export function stepTicks(last: number, most: number): readonly number[] {
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(last / most)) - 1);
  const each = [1, 2, 5].map((digit) => digit * power).find((step) => step >= last / most) ?? 10 * power;
  return Array.from({ length: Math.floor(last / each) + 1 }, (_, at) => at * each);
}
