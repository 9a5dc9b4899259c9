import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface RedisServer {
  readonly url: string;
  /** `kill` is a crash: at most the last second of what was written is gone. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes everything. */
  end(): Promise<void>;
}

/** A Redis server of its own on a loopback port, in a temporary folder, with its append-only file on. */
export async function startRedis(): Promise<RedisServer> {
  const dir = mkdtempSync(join(tmpdir(), "whetstone-redis-"));
  const port = await freePort();
  const launch = () =>
    spawn(
      "redis-server",
      ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "yes"],
      { stdio: "ignore" },
    );
  let server = launch();
  await ready(port);
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    stop,
    async start() {
      server = launch();
      await ready(port);
    },
    async end() {
      await stop("SIGKILL");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function ready(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const answer = await ping(port);
    if (answer.startsWith("+PONG")) return;
    if (tries > 200) throw new Error(`redis-server on port ${port} does not answer: ${answer}`);
    await sleep(25);
  }
}

function ping(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" }, () => socket.write("PING\r\n"));
    const end = (answer: string) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("data", (data) => end(String(data)));
    socket.once("error", (error) => end(error.message));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
