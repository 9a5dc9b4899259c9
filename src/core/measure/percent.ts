/** `61.5 %`, for sentences. */
export const percent = (score: number): string => `${(100 * score).toFixed(1)} %`;

/** `+3.2 points`, for effects. */
export const points = (effect: number): string =>
  `${effect < 0 ? "−" : "+"}${Math.abs(100 * effect).toFixed(1)} points`;
