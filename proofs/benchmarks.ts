import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";

export const claim =
  "every benchmark of the examples runs without a key, has fewer than 100 lines, and ends in something learned";

const folder = join(import.meta.dirname, "../examples/benchmarks");

/** What each must have learned, and what it must not have kept. */
const learned: Readonly<Record<string, readonly [kept: RegExp, not: RegExp]>> = {
  "any-text": [/FR up to 20 kg: air/, /IT up to 20 kg: post/],
  household: [/Food is kept in the fridge/, /sofa/],
  "math-choices": [/whether order matters/, /smallest/],
  searchqa: [/without any titles/, /last one to the first/],
  "repository-tests": [/whole cents/, /keyword/],
  spreadsheet: [/comma before the cents/, /Sort the rows/],
};

/** With an agent in a box for each rollout. */
const slow = new Set(["repository-tests", "spreadsheet"]);

export default async function proveBenchmarks({ short, log }: ProofOptions): Promise<ProofResult> {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && !file.startsWith("toy-"))
    .map((file) => file.slice(0, -3))
    .toSorted();
  log(
    "against toy models and a toy agent, on data made here: nothing is shown about real models or the real benchmarks",
  );
  log("example             lines  verdict                 seconds");
  const failed = Object.keys(learned).filter((name) => !names.includes(name));
  for (const name of names.filter((one) => !short || !slow.has(one))) {
    const program = join(folder, `${name}.ts`);
    const lines = readFileSync(program, "utf8").trimEnd().split("\n").length;
    using journal = temporaryDirectory("benchmarks");
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
      encoding: "utf8",
      env: { ...process.env, BENCHMARK_JOURNAL: journal.path },
    });
    const seconds = (performance.now() - started) / 1000;
    const [kept, not] = learned[name] ?? [];
    const isLearned = kept?.test(stdout) === true && not?.test(stdout) === false;
    const ok = status === 0 && lines < 100 && stdout.startsWith("better: ") && isLearned;
    if (!ok) {
      failed.push(name);
      log(`${name} FAILED: exit ${status}\n${stdout}\n${stderr}`);
    }
    const [verdict = ""] = stdout.split("\n");
    log(
      `${name.padEnd(18)} ${String(lines).padStart(6)}  ${verdict.padEnd(22)} ${seconds.toFixed(1).padStart(8)}`,
    );
  }
  return { ok: failed.length === 0, figures: { examples: names.length, failed } };
}
