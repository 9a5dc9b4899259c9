/** Which verdicts a check refuses: those that are shown to be bad, or all that are not shown to be good. */
export const failWords = ["worse", "not-better"] as const;
export type FailOn = (typeof failWords)[number];
