import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface PostgresServer {
  readonly port: number;
  /** Its data. */
  readonly dir: string;
  /** Makes an empty database and gives its address. */
  createDatabase(): string;
  /** Runs SQL in a database and gives what `psql` prints, one row per line. */
  sql(url: string, text: string): string;
  /** `fast` ends its sessions, `immediate` is a crash: what was not flushed is gone. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes everything. */
  end(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Waits for the disk at each commit, as a server must. @default false */
  readonly durable?: boolean;
  /** Lines of `postgresql.conf`, such as `shared_buffers = 2GB`. */
  readonly settings?: readonly string[];
}

/** A PostgreSQL server of its own on a loopback port, in a temporary folder; never as root, which it refuses. */
export async function startPostgres({
  durable = false,
  settings = [],
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const home = mkdtempSync(join(tmpdir(), "whetstone-postgres-"));
  const dir = join(home, "data");
  const user = serverUser();
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const port = await freePort();
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(findProgram(program), args, { ...user, cwd: home, encoding: "utf8", stdio: "pipe" });
  run("initdb", ["-D", dir, "-U", "whetstone", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]);
  const url = `postgres://whetstone@127.0.0.1:${port}`;
  const flags = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    ...(durable ? [] : ["fsync=off", "full_page_writes=off"]),
    ...settings.map((line) => line.replace(/\s*=\s*/, "=")),
  ].flatMap((setting) => ["-c", setting]);
  let server = start();
  await ready();

  return {
    port,
    dir,
    createDatabase: () => {
      const name = `journal_${randomBytes(6).toString("hex")}`;
      run("psql", ["-qXd", `${url}/postgres`, "-c", `CREATE DATABASE ${name}`]);
      return `${url}/${name}`;
    },
    sql: (database, text) => run("psql", ["-qXAtd", database, "-v", "ON_ERROR_STOP=1", "-c", text]).trim(),
    stop,
    start: async () => {
      server = start();
      await ready();
    },
    end: async () => {
      await stop("immediate");
      rmSync(home, { recursive: true, force: true });
    },
  };

  function start() {
    return spawn(findProgram("postgres"), ["-D", dir, ...flags], { ...user, cwd: home, stdio: "ignore" });
  }

  async function stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await once(server, "exit");
  }

  async function ready(): Promise<void> {
    for (let waitMs = 20; ; waitMs = Math.min(2 * waitMs, 500)) {
      try {
        run("psql", ["-qXd", `${url}/postgres`, "-c", "SELECT 1"]);
        return;
      } catch (error) {
        if (server.exitCode !== null) throw error;
        await sleep(waitMs);
      }
    }
  }
}

/** Debian keeps the server's programs off PATH. */
function findProgram(name: string): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const paths = versions.map((version) => join(debian, version, "bin", name));
  return paths.find((path) => existsSync(path)) ?? name;
}

/** Root gives way to the user that the package made. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (userInfo().uid !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
