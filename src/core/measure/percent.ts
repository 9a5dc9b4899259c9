/** A share in percent with one decimal, for sentences. */
export const percent = (score: number): string => `${(100 * score).toFixed(1)}%`;

/** `+3.2 points`, for effects. */
export const points = (effect: number): string =>
  `${effect < 0 ? "−" : "+"}${Math.abs(100 * effect).toFixed(1)} points`;

/** A growth factor as a signed percentage, such as 1.1 as plus ten percent. */
export function growth(ratio: number): string {
  const change = Math.abs(100 * (ratio - 1));
  if (change < 0.05) return "0%";
  return `${ratio < 1 ? "−" : "+"}${change.toFixed(change < 9.95 && change % 1 !== 0 ? 1 : 0)}%`;
}

/** The inverse of `growth`, as a share: 0.1 for plus ten percent. */
export const readGrowth = (text: string): number => Number(text.replace("−", "-").replace(/\s*%$/, "")) / 100;
