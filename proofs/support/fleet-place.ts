import { type ChildProcess, spawn } from "node:child_process";
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
  /** `whetstone worker`, ready; `env` is all of its environment. @default ours */
  worker(concurrency: number, env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
}

const cli = join(import.meta.dirname, "../../src/apps/cli/main.ts");

export async function fleetPlace(): Promise<FleetPlace> {
  const redis = await startRedis();
  const postgres = await startPostgres({ durable: true });
  const children: ChildProcess[] = [];
  return {
    redis,
    postgres,
    journal: postgres.createDatabase(),
    async worker(concurrency, env) {
      const args = [cli, "worker", "--redis", redis.url, "--concurrency", String(concurrency)];
      const child = spawn(process.execPath, args, {
        stdio: ["ignore", "pipe", "inherit"],
        ...(env === undefined ? {} : { env }),
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
