import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { homedir, networkInterfaces } from "node:os";
import { join } from "node:path";
import { modelProxy, type ModelProxy } from "../../src/adapters/sandboxes/model-proxy.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

/** What an agent would like to get at, with a secret in each of its places. */
export interface Host extends AsyncDisposable {
  /** In every file, variable and server that is not for the agent. */
  readonly secret: string;
  /** The credential that the proxy adds. */
  readonly key: string;
  /** What the scripts are told, as much as an agent could ever guess. */
  readonly variables: Readonly<Record<string, string>>;
  readonly proxy: ModelProxy;
  /** The process that must stay alive. */
  readonly victim: ChildProcess;
  /** What reached the host that should not have. Asking empties the list. */
  takeVisits(): readonly string[];
  /** Whether a file of the host was changed. */
  damage(): string | undefined;
  folder(name: string): string;
}

export async function openHost(): Promise<Host> {
  const room = temporaryDirectory("escape");
  const secret = `secret-${randomBytes(8).toString("hex")}`;
  const key = `sk-real-${randomBytes(12).toString("hex")}`;
  // what /proc/<pid>/environ of the host's processes shows
  const environment = { PATH: process.env["PATH"] ?? "", ESCAPE_SECRET: secret };
  const victim = spawn("sleep", ["600"], { env: environment, stdio: "ignore" });
  const private_ = join(room.path, "private");
  const files = [".ssh/id_ed25519", "tasks/answers.json", "grader/expected.txt", "untouched.txt"];
  for (const file of files) {
    mkdirSync(join(private_, file, ".."), { recursive: true });
    writeFileSync(join(private_, file), secret);
  }

  const [keyring = "", kernelKey = ""] = plantKernelKey(secret);

  let visits: string[] = [];
  const visited =
    (where: string): RequestListener =>
    (request, response) => {
      visits.push(`${where} ${request.method} ${request.url}`);
      response.end(secret);
    };
  const loopback = await listen(createServer(visited("loopback")), { port: 0, host: "0.0.0.0" });
  const socketPath = join(private_, "agent.sock");
  const unix = await listen(createServer(visited("unix socket")), { path: socketPath });
  const udp = createSocket("udp4", () => visits.push("udp"));
  await new Promise<void>((resolve) => void udp.bind(0, "127.0.0.1", resolve));

  // the provider: repeats every header that it gets, in its answer and in its errors
  const provider = await listen(
    createServer((request, response) => {
      const allowed =
        request.method === "POST" &&
        /^\/v1\/(?:messages|responses|chat\/completions)$/.test(request.url ?? "");
      if (!allowed) visits.push(`provider ${request.method} ${request.url}`);
      request.resume().on("end", () => {
        const headers = JSON.stringify(request.headers);
        if (request.headers["user-agent"] === "redirect") {
          response.writeHead(307, {
            location: `http://127.0.0.1:${portOf(loopback)}/redirected`,
            "x-echo": headers,
          });
          return response.end();
        }
        response.writeHead(request.headers["user-agent"] === "fail" ? 401 : 200, {
          "content-type": "application/json",
          "x-echo": headers,
        });
        response.end(
          JSON.stringify({
            id: "r",
            choices: [],
            error: request.headers["user-agent"] === "fail" ? { message: headers } : undefined,
            headers,
          }),
        );
      });
    }),
    { port: 0, host: "127.0.0.1" },
  );
  const proxy = await modelProxy({
    baseURL: `http://127.0.0.1:${portOf(provider)}/v1`,
    headers: async () => ({ authorization: `Bearer ${key}`, "x-api-key": key }),
    key: "escape",
    meter: { begin: async () => ({ end: async () => {} }) },
    limits: { calls: 1000, tokens: 1e9 },
    fetch,
  });

  const ownAddress = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  return {
    secret,
    key,
    proxy,
    victim,
    variables: {
      PRIVATE: private_,
      HOST_HOME: homedir(),
      HOST_ADDRESS: ownAddress ?? "127.0.0.1",
      HOST_PORT: String(portOf(loopback)),
      HOST_UDP: String(udp.address().port),
      VICTIM: String(victim.pid),
      SELF: String(process.pid),
      KEYRING: keyring,
      KERNEL_KEY: kernelKey,
      MAY_TRACE: mayTrace() ? "yes" : "",
    },
    takeVisits() {
      const taken = visits;
      visits = [];
      return taken;
    },
    damage: () =>
      readFileSync(join(private_, "untouched.txt"), "utf8") === secret &&
      readdirSync(private_).length === new Set(files.map((file) => file.split("/")[0])).size + 1
        ? undefined
        : "a file of the host was changed",
    folder(name) {
      const path = join(room.path, name);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
      return path;
    },
    async [Symbol.asyncDispose]() {
      victim.kill("SIGKILL");
      spawnSync("perl", ["-e", "syscall(250, 9, int $ARGV[0], -4)", kernelKey]);
      await proxy.close();
      udp.close();
      for (const server of [loopback, unix, provider]) {
        server.closeAllConnections();
        server.close();
      }
      room[Symbol.dispose]();
    },
  };
}

/** Whether the kernel lets one process of a user take over another that is not its child. */
function mayTrace(): boolean {
  if (process.arch !== "x64") return false;
  try {
    return (
      process.getuid?.() === 0 || readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8").startsWith("0")
    );
  } catch {
    return true;
  }
}

/** A key in the user's own keyring: the keyring's number, and the key's. Empty where there is no such thing. */
function plantKernelKey(secret: string): readonly string[] {
  const script = `my ($type, $name, $value) = ("user", "whetstone-escape", $ARGV[0]);
    my $key = syscall(248, $type, $name, $value, length $value, -4);
    exit 1 if $key < 0;
    syscall(250, 15, $key, 600);
    print syscall(250, 0, -4, 0), " $key";`;
  if (process.arch !== "x64") return [];
  const { status, stdout } = spawnSync("perl", ["-e", script, secret], { encoding: "utf8" });
  return status === 0 ? stdout.split(" ") : [];
}

const listen = (server: Server, where: object): Promise<Server> =>
  new Promise((resolve) => void server.listen(where, () => resolve(server)));

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
