import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type PostgresServer, startPostgres } from "../../test/support/start-postgres.ts";
import { type RedisServer, startRedis } from "../../test/support/start-redis.ts";

/** A Redis, a PostgreSQL and worker processes of the command, all on this machine and gone afterwards. */
export interface FleetPlace extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly postgres: PostgresServer;
  /** The address of the shared journal. */
  readonly journal: string;
  /** `whetstone worker`, ready. */
  worker(concurrency: number, more?: WorkerMore): Promise<ChildProcess>;
}

export interface WorkerMore {
  /** All of its environment but for the fleet's secret. @default ours */
  readonly env?: Readonly<Record<string, string>>;
  /** What runs may ask of it. @default servers of this machine */
  readonly allow?: readonly string[];
  /** Hears what it complains of. @default our own stderr */
  readonly onProblem?: (line: string) => void;
}

/** Of the fleets of all proofs: their coordinators and workers inherit it. */
export const fleetSecret = { WHETSTONE_FLEET_SECRET: randomBytes(32).toString("hex") };

const cli = join(import.meta.dirname, "../../src/apps/cli/main.ts");

export async function fleetPlace(): Promise<FleetPlace> {
  const redis = await startRedis();
  const postgres = await startPostgres({ durable: true });
  const children: ChildProcess[] = [];
  Object.assign(process.env, fleetSecret);
  return {
    redis,
    postgres,
    journal: postgres.createDatabase(),
    async worker(concurrency, { env, allow = ["host=127.0.0.1"], onProblem } = {}) {
      const own = ["--redis", redis.url, "--concurrency", String(concurrency)];
      const args = [cli, "worker", ...own, ...allow.flatMap((what) => ["--allow", what])];
      const child = spawn(process.execPath, args, {
        stdio: ["ignore", "pipe", onProblem === undefined ? "inherit" : "pipe"],
        ...(env === undefined ? {} : { env: { ...env, ...fleetSecret } }),
      });
      children.push(child);
      if (onProblem !== undefined && child.stderr !== null)
        createInterface({ input: child.stderr }).on("line", onProblem);
      const { stdout } = child as ChildProcessByStdio<null, Readable, Readable | null>;
      const lines = createInterface({ input: stdout });
      for await (const line of lines) if (line.includes("takes units from")) break;
      stdout.resume();
      return child;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => endProcess(child)));
      await postgres.end();
      await redis.end();
    },
  };
}

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
