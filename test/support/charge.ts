import type { Usage } from "../../src/ports.ts";

/** US dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
}

/** What a provider charges for a call, in billionths of a US dollar: reckoned here, not by the program that is tried. */
export const charge = ({ inputTokens, outputTokens }: Usage, { input, output }: Rates): number =>
  Math.ceil(1000 * (inputTokens * input + outputTokens * output) - 1e-6);
