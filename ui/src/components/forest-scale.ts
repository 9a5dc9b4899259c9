/** The range of a plot of rules, in points, with the ticks of its axis. */
export interface ForestScale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

/** Includes zero and every interval, and ends at round ticks. */
export function forestScale(rules: readonly { readonly low: number; readonly high: number }[]): ForestScale {
  const least = Math.min(0, ...rules.map(({ low }) => low));
  const most = Math.max(0, ...rules.map(({ high }) => high));
  const step = roundStep(Math.max(most - least, 0.4) / 4);
  const [first, last] = [Math.floor(least / step), Math.max(Math.ceil(most / step), 1)];
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
  return { low: first * step, high: last * step, ticks };
}

function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return ([1, 2, 5].find((digit) => digit * power >= size) ?? 10) * power;
}
