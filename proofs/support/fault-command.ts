import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FaultKind, startScriptedServer } from "../../src/testing/index.ts";
import { faultSizes, faultWorld } from "./fault-run.ts";
import { scriptedModels, scriptedPrices } from "../../test/support/scripted-run.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

const command = join(import.meta.dirname, "../../src/apps/cli/main.ts");

export interface CommandOutage {
  readonly exitCode: number | null;
  /** Calls that reached the server from the first failing one on. */
  readonly callsAfter: number;
  /** The last line that begins with `error`. */
  readonly said: string;
}

export const commandConcurrency = 16;

/** `whetstone train` in a process of its own, with its own timings, against a server that fails from one call on. */
export async function commandIntoOutage(
  seed: number,
  fault: FaultKind,
  from: number,
): Promise<CommandOutage> {
  using folder = temporaryDirectory("fault-command");
  const world = faultWorld(seed);
  let calls = 0;
  await using server = await startScriptedServer({
    seed,
    world,
    latency: { kind: "uniform", minMs: 10, maxMs: 150 },
    record: false,
    faults: () => {
      calls += 1;
      return calls >= from ? fault : undefined;
    },
  });
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  mkdirSync(join(folder.path, "tasks"));
  for (const [name, tasks] of Object.entries(world.splits(faultSizes))) {
    write(`tasks/${name}.json`, JSON.stringify(tasks));
  }
  write("SKILL.md", world.seedSkill(2));
  write(
    "whetstone.config.json",
    JSON.stringify({
      ...scriptedModels,
      skill: "SKILL.md",
      tasks: "tasks",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: scriptedPrices,
      epochs: 2,
      batchSize: 20,
      concurrency: commandConcurrency,
      seed,
    }),
  );
  const child = spawn(process.execPath, [command, "train"], {
    cwd: folder.path,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  let told = "";
  child.stderr.on("data", (chunk: Buffer) => {
    told += chunk.toString();
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const said = told.split("\n").findLast((line) => line.startsWith("error")) ?? told.trim();
  return { exitCode, callsAfter: Math.max(0, calls - from + 1), said };
}
