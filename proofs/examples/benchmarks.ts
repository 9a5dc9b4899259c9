import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import type { ProofOptions, ProofResult } from "../proof.ts";

const examples = join(import.meta.dirname, "../../examples");
const folder = join(examples, "benchmarks");

/** What each must have learned, and what it must not have kept where that was proposed too. */
const learned: Readonly<Record<string, readonly [kept: RegExp, not?: RegExp]>> = {
  "any-text": [/FR up to 20 kg: air/, /IT up to 20 kg: post/],
  household: [/Food is kept in the fridge/, /sofa/],
  "math-choices": [/whether order matters/, /smallest/],
  searchqa: [/without any titles/, /last one to the first/],
  "repository-tests": [/whole cents/],
  spreadsheet: [/comma before the cents/],
};

/** With an agent in a box for each rollout. */
const slow = new Set(["repository-tests", "spreadsheet"]);

/** Every benchmark of the examples, in a process of its own and without a key. */
export function proveBenchmarks({ short, log }: ProofOptions): ProofResult {
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
    const isLearned = kept?.test(stdout) === true && not?.test(stdout) !== true;
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
  if (short) return { ok: failed.length === 0, figures: { benchmarks: names.length, notLearned: failed } };
  const better = countBetter(10);
  log(`train-in-code: better for ${better} of 10 seeds`);
  return {
    ok: failed.length === 0 && better >= 9,
    figures: { benchmarks: names.length, notLearned: failed, better },
  };
}

/** For how many seeds `train-in-code.ts` ends in a proof. */
function countBetter(seeds: number): number {
  const program = join(examples, "train-in-code.ts");
  const runs = Array.from({ length: seeds }, (_, at) => {
    using place = temporaryDirectory("train-in-code");
    const options = { cwd: place.path, encoding: "utf8" } as const;
    return spawnSync(process.execPath, [program, String(at + 1)], options).stdout;
  });
  return runs.filter((printed) => /^Better: /m.test(printed)).length;
}
