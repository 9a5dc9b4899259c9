import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectState } from "../../test/support/project-state.ts";
import type { Task } from "../../src/index.ts";
import type { ScriptedServer } from "../../src/testing/index.ts";
import { type Death, countCalls, describeDeath, readJournalState, settleCalls } from "./kill-journal.ts";
import {
  compareExports,
  killSettings,
  killSkill,
  killSplits,
  readExport,
} from "../../test/support/kill-run.ts";
import { scriptedModels, scriptedPrices } from "../../test/support/scripted-config.ts";

/** A command that trains what the config in its working directory says. */
export type TrainCommand = readonly [program: string, ...args: string[]];

export interface CommandReference {
  readonly files: ReadonlyMap<string, string>;
  readonly keys: ReadonlySet<string>;
  /** Milliseconds from the start of the process to its first call, and to its end. */
  readonly firstCallMs: number;
  readonly ms: number;
}

export interface KilledRun {
  readonly kills: number;
  /** Kills that found calls in flight. */
  readonly killsInFlight: number;
  /** Calls in flight, summed over the kills. */
  readonly inFlight: number;
  readonly calls: number;
  readonly repeated: number;
  readonly violations: readonly string[];
}

/** The command that nobody kills. */
export async function runCommand(command: TrainCommand, server: ScriptedServer): Promise<CommandReference> {
  const asked = countCalls(server);
  const dir = await makeWorkspace(server.url);
  const started = performance.now();
  const execution = execute(command, dir);
  let firstCallMs: number | undefined;
  const watch = setInterval(() => {
    if (firstCallMs === undefined && asked().size > 0) firstCallMs = performance.now() - started;
  }, 2);
  const { code, stderr } = await execution.ended;
  clearInterval(watch);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${stderr}`);
  const ms = performance.now() - started;
  const files = readExport(join(dir, "out"));
  await rm(dir, { recursive: true });
  return { files, keys: new Set(asked().keys()), firstCallMs: firstCallMs ?? ms, ms };
}

/** Kills the command again and again at random moments, at most `kills` times, and starts it again until it is done. */
export async function killAndRestart(
  command: TrainCommand,
  kills: number,
  random: () => number,
  reference: CommandReference,
  server: ScriptedServer,
): Promise<KilledRun> {
  const asked = countCalls(server);
  const dir = await makeWorkspace(server.url);
  const journalDir = projectState(dir);
  const deaths: Death[] = [];
  const violations: string[] = [];
  for (;;) {
    const execution = execute(command, dir);
    const disarm = deaths.length < kills ? armKill(execution.child, random, reference, server) : undefined;
    const { code, signal, stderr } = await execution.ended;
    disarm?.();
    if (signal !== "SIGKILL") {
      if (code !== 0) violations.push(`the command ended with ${code}: ${stderr.trim()}`);
      break;
    }
    await quiet(server);
    deaths.push(describeDeath(asked(), await readJournalState(journalDir)));
  }
  const settled = settleCalls(asked(), deaths, await readJournalState(journalDir), reference.keys);
  violations.push(...settled.violations);
  if (violations.length === 0)
    violations.push(...compareExports(reference.files, readExport(join(dir, "out"))));
  if (violations.length === 0) await rm(dir, { recursive: true });
  else violations.push(`left in ${dir}`);
  const killsInFlight = deaths.filter(({ inFlight }) => inFlight.size > 0).length;
  const inFlight = deaths.reduce((sum, death) => sum + death.inFlight.size, 0);
  return { ...settled, kills: deaths.length, killsInFlight, inFlight, violations };
}

/**
 * Kills at a moment that the seed draws: mostly a few milliseconds after one of the next calls, now and then
 * while the process starts, or anywhere in the time that a whole run takes. Gives a function that calls it off.
 */
function armKill(
  child: ChildProcess,
  random: () => number,
  { firstCallMs, ms }: CommandReference,
  server: ScriptedServer,
): () => void {
  const timers: NodeJS.Timeout[] = [];
  const killAfter = (delay: number) => timers.push(setTimeout(() => child.kill("SIGKILL"), delay));
  const way = random();
  const share = random();
  if (way < 0.1) killAfter(share * firstCallMs);
  else if (way < 0.2) killAfter(firstCallMs + share * (ms - firstCallMs));
  else {
    const fatalCall = server.callCount + 1 + Math.floor(share * 40);
    const delay = random() * 15;
    const watch = setInterval(() => {
      if (server.callCount < fatalCall) return;
      clearInterval(watch);
      killAfter(delay);
    }, 1);
    timers.push(watch);
  }
  return () => timers.forEach(clearTimeout);
}

interface Execution {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

function execute([program, ...args]: TrainCommand, cwd: string): Execution {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended: Execution["ended"] = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stderr }));
  });
  return { child, ended };
}

/** Requests that the dead process had already sent are counted too. */
async function quiet(server: ScriptedServer): Promise<void> {
  do await sleep(10);
  while (server.inFlight() > 0);
}

async function makeWorkspace(url: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "whetstone-sigkill-"));
  mkdirSync(join(dir, "tasks"));
  const rows = (tasks: readonly Task[]) => tasks.map((task) => `${JSON.stringify(task)}\n`).join("");
  for (const [name, tasks] of Object.entries(killSplits)) {
    writeFileSync(join(dir, "tasks", `${name}.jsonl`), rows(tasks));
  }
  writeFileSync(join(dir, "SKILL.md"), killSkill);
  const config = {
    ...killSettings,
    ...scriptedModels,
    skill: "SKILL.md",
    tasks: "tasks",
    providers: { scripted: { baseURL: `${url}/v1` } },
    prices: scriptedPrices,
    // every call in flight at a kill may have been billed, and is booked at its most
    spend: { usd: 100 },
    concurrency: 16,
    out: "out",
  };
  writeFileSync(join(dir, "whetstone.config.json"), `${JSON.stringify(config, null, 2)}\n`);
  return dir;
}
