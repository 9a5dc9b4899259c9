/** Which verdicts fail a check: only proven losses, or everything that isn't a proven gain. */
export const failWords = ["worse", "not-better"] as const;
export type FailOn = (typeof failWords)[number];
