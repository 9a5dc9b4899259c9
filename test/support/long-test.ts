import { basename, join, relative } from "node:path";
import { expect, test } from "vitest";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { codeHash } from "./results/proofs.ts";
import { commitNow, recordOf, wantsRecord, withoutRecord, writeRecord } from "./results/record.ts";

/**
 * A property test with a long form: the same claim on more cases, with its figures printed. `WHETSTONE_LONG=1` switches it
 * on; `WHETSTONE_LONG="--seed 2"` gives options as well; `--short` among them is the form for CI, `--record` writes the
 * result down. Without it the short form runs, with the options given here where that takes too long for a test.
 */
export function longTest(
  claim: string,
  show: (options: ProofOptions) => Promise<ProofResult>,
  quick: readonly string[] = [],
): void {
  const long = process.env["WHETSTONE_LONG"] ?? "";
  const given = long === "1" ? [] : long.split(" ").filter((word) => word !== "");
  const short = long === "" || given.includes("--short");
  const args = long === "" ? quick : withoutRecord(given).filter((word) => word !== "--short");
  // the long form takes as long as it takes
  test(claim, short ? {} : { timeout: 0 }, async () => {
    const lines: string[] = [];
    const log = (line: string) => {
      lines.push(line);
      if (long !== "") console.log(line);
    };
    const began = performance.now();
    const path = relative(join(import.meta.dirname, "../.."), expect.getState().testPath ?? "");
    const source = wantsRecord(given) ? { commit: commitNow(), code: codeHash(path) } : undefined;
    const result = await show({ short, args, log });
    const { ok, figures } = result;
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    if (source !== undefined) {
      const proof = basename(path, ".long.test.ts");
      console.log(writeRecord(recordOf({ ...result, ...source, proof, short, args, seconds, lines }), given));
    }
    if (long !== "") console.log(JSON.stringify({ ok, short, seconds, ...figures }));
    expect(ok, [...lines, JSON.stringify(figures)].join("\n")).toBe(true);
  });
}
