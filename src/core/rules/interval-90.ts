/** The 90 % interval of a bell curve, the one level at which worths are shown. */
export const interval90 = (mean: number, sd: number) => ({ low: mean - z90 * sd, high: mean + z90 * sd });

/** From one standard deviation to half of that interval. */
const z90 = 1.645;
