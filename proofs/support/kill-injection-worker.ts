// node kill-injection-worker.ts <part> <parts> <every>: dies at every <every>-th operation of its part, and reports each as a line.
import { startScriptedServer } from "../../src/testing/index.ts";
import { type CrashReport, crashAndResume, runUninterrupted } from "./kill-injection.ts";
import { killSeed, killWorld } from "../../test/support/kill-run.ts";

export interface UninterruptedRun {
  readonly operations: number;
  readonly calls: number;
}

const [part = 0, parts = 1, every = 1] = process.argv.slice(2).map(Number);
const say = (line: UninterruptedRun | CrashReport) => process.stdout.write(`${JSON.stringify(line)}\n`);

const server = await startScriptedServer({ seed: killSeed, world: killWorld, record: false });
const reference = await runUninterrupted(server);
say({ operations: reference.operations, calls: reference.keys.size });
for (let nth = part; 1 + nth * every <= reference.operations; nth += parts) {
  for (const moment of ["before", "after"] as const) {
    say(await crashAndResume({ operation: 1 + nth * every, moment }, reference, server));
  }
}
await server.close();
