import { WhetstoneError } from "../../errors.ts";

/** Steps between a score of 0 and a score of 1. Integers keep the exact tests exact. */
export const gridSteps = 20;

/** A score on the grid of 1/20, half to even. */
export function toGrid(score: number): number {
  if (!(score >= 0 && score <= 1)) {
    throw new WhetstoneError("failed", `A score must lie between 0 and 1, and one was ${score}.`, {
      hint: "Look at the scorer or the environment that returned it.",
    });
  }
  const scaled = score * gridSteps;
  const below = Math.floor(scaled);
  if (scaled - below !== 0.5) return Math.round(scaled);
  return below % 2 === 0 ? below : below + 1;
}
