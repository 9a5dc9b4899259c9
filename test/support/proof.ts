import type { Json } from "../../src/ports.ts";

export interface ProofOptions {
  /** The form for CI: the same claim on fewer cases. */
  readonly short: boolean;
  /** What stands after `--`. */
  readonly args: readonly string[];
  /** Tells the person at the terminal what is going on. */
  readonly log: (line: string) => void;
}

export interface ProofResult {
  readonly ok: boolean;
  /** Where not: all that fell short is time on the clock, which a busy machine can explain. */
  readonly onlyLate?: boolean;
  readonly figures: { readonly [name: string]: Json };
  /** What came out, in Markdown. @default what was printed */
  readonly page?: string;
}

/** The number after `--name`, or the default. */
export function numberOption(args: readonly string[], name: string, fallback: number): number {
  const at = args.indexOf(`--${name}`);
  if (at === -1) return fallback;
  const value = Number(args[at + 1]);
  if (!Number.isFinite(value)) throw new Error(`--${name} needs a number`);
  return value;
}
