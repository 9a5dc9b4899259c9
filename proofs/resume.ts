import { join } from "node:path";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { resumeSeed, resumeVariants } from "./support/resume-run.ts";
import type { ResumeDeath, ResumeReference } from "./support/resume-worker.ts";
import { runWorkers } from "../test/support/run-workers.ts";

export const claim =
  "A run with every mechanism on dies anywhere and resumes to the same artifacts, byte for byte, and buys nothing twice but what was in flight.";

/** Every contract of the optimizer, so that none of the mechanisms is on in name only. */
const contracts = [
  "analyst_error",
  "analyst_success",
  "contrastive",
  "merge_failure",
  "merge_success",
  "merge_final",
  "ranking",
  "learning_rate",
  "rewrite_skill",
  "anchor_repair",
  "appendix_compaction",
  "slow_update",
  "meta_skill",
  "one_shot",
];

export default async function resume({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const points = numberOption(args, "points", short ? 12 : 52);
  const each = Math.ceil(points / resumeVariants.length);
  log(
    `${each * resumeVariants.length} deaths, spread over all journal writes and dispatches of four runs; seed ${resumeSeed}`,
  );
  log(
    "on in all of them: slow update, meta skill, skill-aware reflection, autonomous budget, accumulation 2,",
  );
  log("baselines, several trials, mixed metric, early stop");
  const workers = await runWorkers<ResumeReference | ResumeDeath>(
    join(import.meta.dirname, "support/resume-worker.ts"),
    [
      [each, 0, 3],
      [each, 1, 2],
    ],
  );
  const lines = workers.flat();
  const references = lines.filter((line) => "operations" in line).toSorted((a, b) => a.variant - b.variant);
  const deaths = lines.filter((line) => "moment" in line);

  log("");
  log(
    "run                                    calls  operations  files  deaths  in flight  bought again  violations",
  );
  for (const { variant, calls, operations, files } of references) {
    const own = deaths.filter((death) => death.variant === variant);
    const cells = [calls, operations, files, own.length, sum(own, "inFlight"), sum(own, "repeated")];
    const widths = [6, 12, 7, 8, 11, 14];
    const shown = cells.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join("");
    const violations = own.reduce((total, death) => total + death.violations.length, 0);
    log(`${(resumeVariants[variant]?.name ?? "").padEnd(38)}${shown}${String(violations).padStart(12)}`);
  }
  const violations = deaths.flatMap(({ variant, operation, moment, violations: found }) =>
    found.map((violation) => `run ${variant}, operation ${operation}, ${moment}: ${violation}`),
  );
  for (const violation of violations.slice(0, 20)) log(`VIOLATION ${violation}`);
  const unused = contracts.filter((name) => references.every((reference) => !(name in reference.contracts)));
  log("");
  log(
    unused.length === 0
      ? `all ${contracts.length} optimizer contracts were in use`
      : `NOT in use in any run: ${unused.join(", ")}`,
  );
  return {
    ok: violations.length === 0 && unused.length === 0 && deaths.length >= points,
    figures: {
      seed: resumeSeed,
      deaths: deaths.length,
      deathsInFlight: deaths.filter(({ inFlight }) => inFlight > 0).length,
      inFlightCalls: sum(deaths, "inFlight"),
      repeatedCalls: sum(deaths, "repeated"),
      operations: references.reduce((total, { operations }) => total + operations, 0),
      unusedContracts: unused,
      violations: violations.length,
    },
  };
}

const sum = (deaths: readonly ResumeDeath[], figure: "inFlight" | "repeated"): number =>
  deaths.reduce((total, death) => total + death[figure], 0);
