import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { FleetForTest } from "./fleet-fixture.ts";

/** Worker processes around a folder. */
export function fleetMachines({ dir }: FleetForTest, redis: string) {
  const children: ChildProcess[] = [];
  const path = join(dir, "log");
  const log = (): string[] => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  let isOver = false;
  const launch = (concurrency: number): ChildProcess => {
    const script = fileURLToPath(new URL("./fleet-process.ts", import.meta.url));
    const child = spawn(process.execPath, [script, redis, dir, String(concurrency)], {
      stdio: "inherit",
    });
    children.push(child);
    return child;
  };
  const supervise = (child: ChildProcess, concurrency: number): void => {
    child.once("exit", () => {
      if (!isOver) supervise(launch(concurrency), concurrency);
    });
  };
  return {
    log,
    begun: ({ pid }: ChildProcess) => log().filter((line) => line.startsWith(`${pid} begin`)),
    async start(concurrency: number): Promise<ChildProcess> {
      const child = launch(concurrency);
      while (!log().includes(`${child.pid} ready`)) {
        if (child.exitCode !== null) throw new Error(`The worker ended with ${child.exitCode}.`);
        await sleep(20);
      }
      return child;
    },
    restart(concurrency: number) {
      for (const child of children) supervise(child, concurrency);
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exit = once(child, "exit");
        child.kill("SIGKILL");
        await exit;
      }
    },
  };
}
