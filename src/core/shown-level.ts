/** The confidence level of all intervals: one level wherever we show a range, named once in each verdict. */
export const shownLevel = 0.95;

/** `95%` */
export const levelText = `${100 * shownLevel}%`;

/** Half the width of such an interval, in standard errors. */
export const z95 = 1.96;

/** The interval of a normal distribution. */
export const bellInterval = (mean: number, sd: number) => ({ low: mean - z95 * sd, high: mean + z95 * sd });
