import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type PostgresServer, startPostgres } from "../../src/testing/start-postgres.ts";
import { type RedisServer, startRedis } from "../../src/testing/start-redis.ts";

/** A Redis, a PostgreSQL and worker processes of the command, all on this machine and gone afterwards. */
export interface FleetPlace extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly postgres: PostgresServer;
  /** The address of the shared journal. */
  readonly journal: string;
  /** `whetstone worker`, ready, which may call this machine's servers; `env` is its environment but for the secret. @default ours */
  worker(concurrency: number, more?: WorkerMore): Promise<ChildProcess>;
}

export interface WorkerMore {
  readonly env?: Readonly<Record<string, string>>;
  /** Further flags. */
  readonly words?: readonly string[];
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
    async worker(concurrency, { env, words = [] } = {}) {
      const own = ["--redis", redis.url, "--concurrency", String(concurrency), "--allow", "host=127.0.0.1"];
      const args = [cli, "worker", ...own, ...words];
      const child = spawn(process.execPath, args, {
        stdio: ["ignore", "pipe", "inherit"],
        ...(env === undefined ? {} : { env: { ...env, ...fleetSecret } }),
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout });
      for await (const line of lines) if (line.includes("takes units from")) break;
      child.stdout.resume();
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
