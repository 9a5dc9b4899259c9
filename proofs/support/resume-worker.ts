// node resume-worker.ts <points> <variant>…: dies at so many operations of each variant, spread over all of it, and reports each as a line.
import { seededRandom, startScriptedServer } from "../../src/testing/index.ts";
import { type CrashReport, crashAndResume, runUninterrupted } from "./kill-injection.ts";
import { countingWorld, resumeRun, resumeSeed, resumeVariants } from "./resume-run.ts";

export interface ResumeReference {
  readonly variant: number;
  /** Journal writes and dispatches of the run that nobody interrupts. */
  readonly operations: number;
  readonly calls: number;
  readonly files: number;
  readonly contracts: Readonly<Record<string, number>>;
}

export type ResumeDeath = CrashReport & { readonly variant: number };

const [points = 1, ...variants] = process.argv.slice(2).map(Number);
const say = (line: ResumeReference | ResumeDeath) => process.stdout.write(`${JSON.stringify(line)}\n`);

for (const variant of variants) {
  const world = countingWorld();
  await using server = await startScriptedServer({
    seed: resumeSeed,
    world,
    record: false,
    // answers arrive in another order than they were asked for, and deaths find calls on their way
    latency: { kind: "uniform", minMs: 0, maxMs: 6 },
  });
  const makeRun = resumeRun(resumeVariants[variant]?.settings ?? {});
  const reference = await runUninterrupted(server, makeRun);
  const { operations, keys, files } = reference;
  const contracts = Object.fromEntries(world.contracts);
  say({ variant, operations, calls: keys.size, files: files.size, contracts });
  const random = seededRandom("resume", resumeSeed, variant);
  for (let point = 0; point < points; point += 1) {
    // one in each stretch of equal length, before and after in turn
    const operation = 1 + Math.floor(((point + random()) * operations) / points);
    const moment = point % 2 === 0 ? "before" : "after";
    say({ variant, ...(await crashAndResume({ operation, moment }, reference, server, makeRun)) });
  }
}
