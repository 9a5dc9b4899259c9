import type { Resolved } from "../../test/support/scripted-run.ts";
import {
  type CrashPoint,
  type ScriptedServer,
  crashPoint,
  faultyJournal,
  faultyModel,
} from "../../src/testing/index.ts";
import { perform } from "../../src/run/verbs/perform.ts";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteJournal } from "../../src/ports.ts";
import { trainVerb } from "../../src/run/verbs/train.ts";
import { countCalls, describeDeath, readJournalState, settleCalls } from "./kill-journal.ts";
import { compareExports, readExport } from "../../test/support/kill-run.ts";

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

/** Makes the run that is to die, for a server's address, a folder for the journal and one for the artifacts. */
export type MakeRun = (url: string, journalDir: string, out: string) => Resolved;

/** The run that nobody interrupts: its files, its calls and the number of its operations. */
export async function runUninterrupted(server: ScriptedServer, makeRun: MakeRun): Promise<Reference> {
  const asked = countCalls(server);
  const dir = await mkdtemp(join(tmpdir(), "whetstone-kill-"));
  const crash = crashPoint();
  const journal = await sqliteJournal({ dir });
  const resolved = makeRun(server.url, dir, join(dir, "out"));
  await perform(trainVerb(mortal(resolved, crash)), { journal: faultyJournal(journal, crash) });
  await journal.close();
  const files = readExport(join(dir, "out"));
  await rm(dir, { recursive: true });
  return { files, keys: new Set(asked().keys()), operations: crash.operations };
}

/** Dies at one operation, forgets everything but the disk, runs to the end, and says what is not as it should be. */
export async function crashAndResume(
  { operation, moment }: CrashCase,
  reference: Reference,
  server: ScriptedServer,
  makeRun: MakeRun,
): Promise<CrashReport> {
  const before = await mkdtemp(join(tmpdir(), "whetstone-kill-"));
  const asked = countCalls(server);
  await dieAt({ operation, moment }, makeRun(server.url, before, join(before, "out")), before, server);
  // a run that is said to be dead may still compute, and write what comes of it: its heir has another folder
  const dir = `${before}-left`;
  await rename(before, dir);
  const resolved = makeRun(server.url, dir, join(dir, "out"));
  const death = describeDeath(asked(), await readJournalState(dir));

  const journal = await sqliteJournal({ dir });
  const { folder } = await perform(trainVerb(resolved), { journal });
  await journal.close();

  const settled = settleCalls(asked(), [death], await readJournalState(dir), reference.keys);
  const violations = [...settled.violations, ...compareExports(reference.files, readExport(folder))];
  await rm(before, { recursive: true, force: true });
  // a case that failed keeps its folder, to be looked at
  if (violations.length === 0) await rm(dir, { recursive: true });
  else violations.push(`left in ${dir}`);
  return { operation, moment, inFlight: death.inFlight.size, repeated: settled.repeated, violations };
}

async function dieAt(
  { operation, moment }: CrashCase,
  resolved: Resolved,
  dir: string,
  server: ScriptedServer,
): Promise<void> {
  const crash = crashPoint({ at: operation, moment });
  const journal = await sqliteJournal({ dir });
  const run = perform(trainVerb(mortal(resolved, crash)), { journal: faultyJournal(journal, crash) });
  const outcome = await Promise.race([crash.death.then(() => "died"), run.then(() => "finished")]);
  if (outcome !== "died") throw new Error(`the run ended before its operation ${operation}`);
  await quiet(server);
  await journal.close();
}

const mortal = (resolved: Resolved, crash: CrashPoint): Resolved => ({
  ...resolved,
  modelObjects: new Map([...resolved.modelObjects].map(([id, model]) => [id, faultyModel(model, crash)])),
});

/** Nothing on its way any more: neither calls nor files that the dead run had begun to write. */
async function quiet(server: ScriptedServer): Promise<void> {
  for (let calm = 0; calm < 5; calm += 1) {
    // on a busy machine a write may stand between two of its steps for some turns
    await sleep(5);
    const isWriting = process.getActiveResourcesInfo().includes("FSReqPromise");
    if (isWriting || server.inFlight() > 0) calm = 0;
  }
}
