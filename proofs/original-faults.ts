import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runFaultTests } from "./original-faults/run-tests.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";

export const claim =
  "every fault that was found in the original nights has tests of its own name here, and all of them pass";

interface Fault {
  readonly number: number;
  /** What goes wrong there. */
  readonly wrong: string;
  /** The part of it that has no counterpart here, and why. */
  readonly notApplicable?: string;
}

export default async function proveFaults({ log }: ProofOptions): Promise<ProofResult> {
  const faults = JSON.parse(
    readFileSync(join(import.meta.dirname, "original-faults/faults.json"), "utf8"),
  ) as readonly Fault[];
  const { tests, files, seconds } = await runFaultTests();
  const broken: string[] = [];
  for (const { number, wrong, notApplicable } of faults) {
    const own = tests.filter((test) => test.fault === number);
    log("");
    log(`${number}. ${wrong}`);
    for (const { title, file, isPassed } of own) log(`   ${isPassed ? "✓" : "✗"} ${title}  (${file})`);
    if (notApplicable !== undefined) log(`   not applicable: ${notApplicable}`);
    if (own.length === 0) broken.push(`${number}: no test`);
    broken.push(...own.filter(({ isPassed }) => !isPassed).map(({ title }) => `${number}: ${title}`));
  }
  const known = new Set(faults.map(({ number }) => number));
  const stray = tests.filter(({ fault }) => !known.has(fault)).map(({ title }) => title);
  log("");
  log(`${tests.length} tests of ${faults.length} faults in ${files} files, ${seconds} s`);
  for (const problem of [...broken, ...stray]) log(`NOT: ${problem}`);
  return {
    ok: faults.length === 30 && broken.length === 0 && stray.length === 0,
    figures: {
      faults: faults.length,
      tests: tests.length,
      files,
      testSeconds: seconds,
      byFault: Object.fromEntries(
        faults.map(({ number }) => [number, tests.filter(({ fault }) => fault === number).length]),
      ),
      broken,
    },
  };
}
