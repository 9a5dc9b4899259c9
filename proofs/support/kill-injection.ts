import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, train } from "../../src/index.ts";
import { sqliteJournal } from "../../src/ports.ts";
import type { ScriptedServer } from "../../src/testing/index.ts";
import { type CrashPoint, crashPoint } from "../../test/support/faults/crash-point.ts";
import { faultyJournal } from "../../test/support/faults/faulty-journal.ts";
import { compareExports, readExport } from "../../test/support/kill-run.ts";
import { countCalls, describeDeath, readJournalState, settleCalls } from "./kill-journal.ts";
import { watchedModels } from "./watched-models.ts";

export interface Reference {
  readonly files: ReadonlyMap<string, string>;
  readonly keys: ReadonlySet<string>;
  /** Journal writes and dispatches. */
  readonly operations: number;
}

export interface CrashCase {
  readonly operation: number;
  readonly moment: "before" | "after";
}

export interface CrashReport extends CrashCase {
  readonly inFlight: number;
  readonly repeated: number;
  readonly violations: readonly string[];
}

/** The run that nobody interrupts: its files, its calls and the number of its operations. */
export async function runUninterrupted(server: ScriptedServer, config: Config): Promise<Reference> {
  const asked = countCalls(server);
  const dir = await mkdtemp(join(tmpdir(), "whetstone-kill-"));
  const crash = crashPoint();
  await start(dir, config, server, crash).run;
  const files = readExport(join(dir, "out"));
  await rm(dir, { recursive: true });
  return { files, keys: new Set(asked().keys()), operations: crash.operations };
}

/** Dies at one operation, forgets everything but the disk, runs to the end, and says what is not as it should be. */
export async function crashAndResume(
  { operation, moment }: CrashCase,
  reference: Reference,
  server: ScriptedServer,
  config: Config,
): Promise<CrashReport> {
  const before = await mkdtemp(join(tmpdir(), "whetstone-kill-"));
  const asked = countCalls(server);
  const crash = crashPoint({ at: operation, moment });
  const dying = start(before, config, server, crash);
  const outcome = await Promise.race([crash.death.then(() => "died"), dying.run.then(() => "finished")]);
  if (outcome !== "died") throw new Error(`the run ended before its operation ${operation}`);
  await quiet(server);
  await dying.close();
  // a run that is said to be dead may still compute, and write what comes of it: its heir has another folder
  const dir = `${before}-left`;
  await rename(before, dir);
  const death = describeDeath(asked(), await readJournalState(dir));

  await start(dir, config, server, crashPoint()).run;

  const settled = settleCalls(asked(), [death], await readJournalState(dir), reference.keys);
  const violations = [
    ...settled.violations,
    ...compareExports(reference.files, readExport(join(dir, "out"))),
  ];
  await rm(before, { recursive: true, force: true });
  // a case that failed keeps its folder, to be looked at
  if (violations.length === 0) await rm(dir, { recursive: true });
  else violations.push(`left in ${dir}`);
  return { operation, moment, inFlight: death.inFlight.size, repeated: settled.repeated, violations };
}

/** Trains with all that it keeps in one folder; what it writes and whom it calls ends with `crash`. */
function start(dir: string, config: Config, server: ScriptedServer, crash: CrashPoint) {
  process.env["WHETSTONE_STATE"] = join(dir, "state");
  const opened = sqliteJournal({ dir });
  const close = async () => (await opened).close();
  const run = opened
    .then((journal) =>
      train({
        ...config,
        ...watchedModels(server.url, (_, make) => crash.operate(async () => make())),
        journal: faultyJournal(journal, crash),
        // any folder: the state must not be inside of the project
        cwd: import.meta.dirname,
        out: join(dir, "out"),
      }),
    )
    .then(close);
  return { run, close };
}

/** Nothing on its way any more: neither calls nor files that the dead run had begun to write. */
async function quiet(server: ScriptedServer): Promise<void> {
  for (let calm = 0; calm < 5; calm += 1) {
    // on a busy machine a write may stand between two of its steps for some turns
    await sleep(5);
    const isWriting = process.getActiveResourcesInfo().includes("FSReqPromise");
    if (isWriting || server.inFlight() > 0) calm = 0;
  }
}
