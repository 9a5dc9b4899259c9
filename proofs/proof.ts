import type { ProofOptions, ProofResult } from "../test/support/proof.ts";

export { numberOption, type ProofOptions, type ProofResult } from "../test/support/proof.ts";

/** A proof's module: what it shows, and the program that shows it. */
export interface Proof {
  readonly claim: string;
  readonly default: (options: ProofOptions) => Promise<ProofResult>;
}
