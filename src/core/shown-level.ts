/** The chance with which an interval contains the truth: one level wherever a range is shown, named once in each verdict. */
export const shownLevel = 0.95;

/** `95%` */
export const levelText = `${100 * shownLevel}%`;

/** Standard errors on either side of such an interval. */
export const z95 = 1.96;

/** The interval of a bell curve. */
export const bellInterval = (mean: number, sd: number) => ({ low: mean - z95 * sd, high: mean + z95 * sd });
