// node kill-injection-worker.ts <part> <parts> <points of each variant>…: dies at so many operations of each variant, spread
// over all of it, does every <parts>-th of these deaths, and reports each as a line.
import { startScriptedServer } from "../../src/testing/index.ts";
import { type CrashReport, crashAndResume, runUninterrupted } from "./kill-injection.ts";
import { countingWorld, killVariants } from "./kill-variants.ts";

export interface UninterruptedRun {
  readonly variant: number;
  /** Journal writes and dispatches. */
  readonly operations: number;
  readonly calls: number;
  readonly contracts: readonly string[];
}

export type InjectedDeath = CrashReport & { readonly variant: number };

const [part = 0, parts = 1, ...points] = process.argv.slice(2).map(Number);
const say = (line: UninterruptedRun | InjectedDeath) => process.stdout.write(`${JSON.stringify(line)}\n`);

let nth = 0;
for (const [variant, { seed, world, configAt }] of killVariants.entries()) {
  const wanted = points[variant] ?? 0;
  // variants with a single death take turns among the workers, so that each is measured once
  if (wanted === 1 && variant % parts !== part) continue;
  const counting = countingWorld(world);
  // answers arrive in another order than they were asked for, and deaths find calls on their way
  const latency = { kind: "uniform", minMs: 0, maxMs: 6 } as const;
  await using server = await startScriptedServer({ seed, world: counting, record: false, latency });
  const config = configAt(server.url);
  const reference = await runUninterrupted(server, config);
  const { operations, keys } = reference;
  say({ variant, operations, calls: keys.size, contracts: [...counting.contracts.keys()] });
  const count = Math.min(wanted, operations);
  for (let point = 0; point < count; point += 1) {
    const operation = 1 + Math.floor(((point + (count === operations ? 0 : 0.5)) * operations) / count);
    for (const moment of ["before", "after"] as const) {
      const isMine = wanted === 1 ? (moment === "before") === variant % 4 < 2 : nth++ % parts === part;
      if (isMine)
        say({ variant, ...(await crashAndResume({ operation, moment }, reference, server, config)) });
    }
  }
}
// what died still holds its timers, and nobody waits for them
process.stdout.write("", () => process.exit(0));
