import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, openSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { InfraError } from "../../core/errors.ts";
import type { SandboxJob } from "../../core/ports/sandbox.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import { controlledHere } from "./control-group.ts";
import { detachedMemory, hiddenDisk, hiddenMemory, manyFiles } from "../../../test/support/hide-work.ts";
import { canHoldDisk, openVolume } from "./own-volume.ts";

const sandbox = bubblewrapSandbox();
const never = new AbortController().signal;
const limits = { seconds: 20, memoryMb: 512, processes: 40, diskMb: 64 };

async function runShell(script: string, change: Partial<SandboxJob> = {}, signal = never) {
  const workspace = change.workspace ?? (await tempDir());
  return await sandbox.run(
    { workspace, limits, command: () => ({ argv: ["sh", "-c", script] }), ...change },
    signal,
  );
}

/** Processes of the host that carry this mark on their command line. */
const marked = (mark: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
      } catch {
        return false;
      }
    });

let marks = 0;
const newMark = (): string => `${100_000 + process.pid}.${(marks += 1)}`;

test("a command runs as an ordinary user in its workspace, with nothing but the given environment", async () => {
  const workspace = await tempDir({ "in.txt": "hello" });
  const result = await sandbox.run(
    {
      workspace,
      limits,
      command: (inside) => ({
        argv: [
          "sh",
          "-c",
          'id -u; pwd; env | cut -d= -f1 | sort | tr "\\n" " "; cat in.txt; echo new > out.txt; exit 7',
        ],
        env: { GIVEN: inside.home },
      }),
    },
    never,
  );
  expect(result).toMatchObject({ exitCode: 7, ended: "exit", stderr: "" });
  expect(result.stdout).toBe("1000\n/home/dev/project\nGIVEN HOME LANG PATH PWD TMPDIR hello");
  expect(readFileSync(join(workspace, "out.txt"), "utf8")).toBe("new\n");
});

test("no capability is left, privileges cannot grow, and no user namespace can be made", async () => {
  const { stdout } = await runShell("grep -E '^(Cap|NoNew)' /proc/self/status; unshare -U true && echo made");
  expect(stdout.match(/^Cap\w+:\s+0+$/gm)).toHaveLength(5);
  expect(stdout).toMatch(/NoNewPrivs:\s+1/);
  expect(stdout).not.toContain("made");
});

test("the kernel's keyrings and the calls behind its worst holes are closed", async () => {
  const numbers = {
    x64: [250, 321, 298, 425, 101, 310, 311, 438],
    arm64: [219, 280, 241, 425, 117, 270, 271, 438],
  }[process.arch as "x64" | "arm64"];
  const script = `print syscall($_, 0, -3, 0, 0) == -1 ? "$!\n" : "open\n" for (${numbers.join(", ")})`;
  const { stdout } = await runShell("", { command: () => ({ argv: ["perl", "-e", script] }) });
  expect(stdout).toBe("Operation not permitted\n".repeat(8));
});

/** Another process that runs one box, started with these descriptors beside the usual ones. */
async function runFromProcess(script: string, open: Readonly<Record<number, number | "pipe">>) {
  const program = `
    import { bubblewrapSandbox } from ${JSON.stringify(new URL("bubblewrap.ts", import.meta.url).href)};
    import { noSandbox } from ${JSON.stringify(new URL("no-sandbox.ts", import.meta.url).href)};
    for (const sandbox of [bubblewrapSandbox(), noSandbox()]) {
      const { stdout } = await sandbox.run({
        workspace: ${JSON.stringify(await tempDir())}, limits: ${JSON.stringify(limits)},
        command: () => ({ argv: ["sh", "-c", ${JSON.stringify(script)}] }),
      }, new AbortController().signal);
      console.log(stdout);
    }`;
  const last = Math.max(...Object.keys(open).map(Number));
  const stdio = Array.from({ length: last + 1 }, (_, at) => open[at] ?? (at === 1 ? "pipe" : "ignore"));
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio });
  let said = "";
  for await (const piece of child.stdout as AsyncIterable<Buffer>) said += String(piece);
  return said;
}

test("folders, files and sockets that were left open are not open inside, whatever their number", async () => {
  const outside = await tempDir({ "secret.txt": "a secret" });
  const [folder, file] = [openSync(outside, "r"), openSync(join(outside, "secret.txt"), "a")];
  const script =
    "cat /proc/self/fd/*/secret.txt; for n in 40 200 900; do echo planted >/proc/self/fd/$n; done; ls -l /proc/self/fd | sed 's/.*-> //'";
  const said = await runFromProcess(`( ${script} ) 2>&1`, {
    40: folder,
    200: "pipe",
    900: file,
    901: folder,
  });
  expect(said).not.toContain("a secret");
  expect(said).not.toContain(outside);
  expect(said.match(/^(?:socket|pipe):/gm)?.length ?? 0).toBeLessThanOrEqual(6);
  expect(said).toContain("/dev/null");
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("a secret");
});

test("a stray descriptor that cannot be covered refuses the box", () => {
  const program = `
    import { bubblewrapSandbox } from ${JSON.stringify(new URL("bubblewrap.ts", import.meta.url).href)};
    const job = { workspace: "/tmp", limits: ${JSON.stringify(limits)}, command: () => ({ argv: ["true"] }) };
    const error = await bubblewrapSandbox().run(job, new AbortController().signal).catch((thrown) => thrown);
    console.log(error.name, error.message);`;
  const shell = 'ulimit -n 256 && exec 255</ && exec "$0" --input-type=module -e "$1"';
  const { stdout } = spawnSync("bash", ["-c", shell, process.execPath, program], { encoding: "utf8" });
  expect(stdout).toMatch(/^InfraError The sandbox could not be started: /);
});

test("the first process tells nothing of the host", async () => {
  const workspace = await tempDir();
  const { stdout } = await runShell("cat /proc/1/cmdline /proc/1/environ | tr '\\0' '\\n'", { workspace });
  expect(stdout).toContain("--args\n8\n--\n");
  expect(stdout).not.toContain(workspace);
  expect(stdout).not.toContain(process.execPath);
  expect(stdout).not.toMatch(/^[A-Z]+=/m);
});

test("no process writes into another one's memory or opens its output", async () => {
  const victim = "sleep 5 & p=$!; (: >/proc/$p/mem) && echo wrote; (: >/proc/$PPID/fd/1) && echo opened";
  const { stdout, stderr } = await runShell(victim);
  expect(stdout).toBe("");
  expect(stderr).toContain("Read-only file system");
});

test("nothing can be written but workspace, home and temporary folders, nor any switch of the kernel", async () => {
  const { stdout } = await runShell(
    "for f in /x /etc/x /usr/x /home/x /dev/x /opt/whetstone/x /run/x; do touch $f 2>/dev/null && echo wrote $f; done;" +
      "cat /proc/sys/vm/swappiness 2>/dev/null > /tmp/v; (cat /tmp/v > /proc/sys/vm/swappiness) 2>/dev/null && echo turned;" +
      "touch /tmp/a ~/a a && echo fine",
  );
  expect(stdout).toBe("fine\n");
});

test("Node and lists of readable things are where they are said to be", async () => {
  const tools = await tempDir({ "tool.sh": "#!/bin/sh\necho tool $1\n" });
  const result = await sandbox.run(
    {
      workspace: await tempDir(),
      readOnly: { [tools]: "/opt/tools" },
      limits,
      command: ({ path }) => ({
        argv: ["sh", "-c", 'sh "$0/tool.sh" 1; touch "$0/x" || /usr/bin/env node -p "1+1"', path(tools)],
      }),
    },
    never,
  );
  expect(result.stdout).toBe("tool 1\n2\n");
});

test("a home is kept between runs, and is empty and gone without one", async () => {
  const home = await tempDir({ ".config": "kept" });
  expect((await runShell("cat ~/.config; echo more > ~/new", { home })).stdout).toBe("kept");
  expect(readFileSync(join(home, "new"), "utf8")).toBe("more\n");
  expect((await runShell("ls -A ~")).stdout).toBe("project\n");
});

test("standard input is given whole, or as it comes", async () => {
  const command = (stdin: string | AsyncIterable<string>) => () => ({ argv: ["cat"], stdin });
  const long = "é".repeat(200_000);
  expect((await runShell("", { command: command(long) })).stdout).toBe(long);
  async function* pieces() {
    yield "one\n";
    yield "two";
  }
  const lines: string[] = [];
  await runShell("", { command: command(pieces()), onLine: (line) => lines.push(line) });
  expect(lines).toEqual(["one", "two"]);
});

test("lines arrive while the command runs, and of a flood the end is kept", async () => {
  const stop = new AbortController();
  const seen = await runShell("echo ready; sleep 60", { onLine: () => stop.abort() }, stop.signal);
  expect(seen).toMatchObject({ exitCode: null, ended: "stopped", stdout: "ready\n" });
  const flood = await runShell("head -c 20000000 /dev/zero | tr '\\0' x; echo end");
  expect(flood.stdout).toHaveLength(4 * 1024 * 1024);
  expect(flood.stdout.endsWith("end\n")).toBe(true);
});

test("the only network is the way to the socket", async () => {
  const folder = await tempDir();
  const socket = join(folder, "s.sock");
  const server = createServer((request, response) => response.end(`${request.method} ${request.url}`));
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  const outside = createServer((_, response) => response.end("outside"));
  await new Promise<void>((resolve) => void outside.listen(0, "127.0.0.1", resolve));
  const { port } = outside.address() as { port: number };
  const script = `
    const get = (url) => fetch(url).then((r) => r.text(), (e) => e.cause.code);
    console.log(await get(process.argv[1] + "/v1/x"), await get("http://127.0.0.1:${port}"), await get("http://1.1.1.1"));`;
  const result = await sandbox.run(
    {
      workspace: folder,
      socket,
      limits,
      command: ({ baseUrl }) => ({ argv: ["node", "--input-type=module", "-e", script, baseUrl] }),
    },
    never,
  );
  expect(result.stdout).toBe("GET /v1/x ECONNREFUSED ENETUNREACH\n");
  server.close();
  outside.close();
});

test("behind the way to the socket, exit codes are the command's own", async () => {
  const workspace = await tempDir();
  const run = (script: string) => runShell(script, { workspace, socket: join(workspace, "none.sock") });
  writeFileSync(join(workspace, "none.sock"), "");
  expect((await run("exit 9")).exitCode).toBe(9);
  expect((await run("kill -TERM $$")).exitCode).toBe(143);
});

test("time, processes, memory and disk end it", async () => {
  const small = (change: Partial<typeof limits>) => ({ limits: { ...limits, ...change } });
  const bomb = "f() { f | f & }; f 2>/dev/null; sleep 60";
  const eat = `node -e 'const all = []; for (;;) all.push(Buffer.alloc(2e7, 1))'`;
  const hide =
    "exec 5>u; rm u; head -c 60M /dev/zero >&5; exec 6>u; rm u; head -c 60M /dev/zero >&6; sleep 60";
  const many = "i=0; while :; do i=$((i+1)); head -c 9M /dev/zero > f$i; done";
  expect(await runShell("sleep 60", small({ seconds: 0.3 }))).toMatchObject({
    ended: "time",
    exitCode: null,
  });
  expect(await runShell(bomb)).toMatchObject({ ended: "processes" });
  expect(await runShell(eat, small({ memoryMb: 300 }))).toMatchObject({ ended: "memory" });
  expect(await runShell("head -c 2G /dev/zero > big")).toMatchObject({ ended: "disk" });
  expect(await runShell(many)).toMatchObject({ ended: "disk" });
  expect(await runShell(hide)).toMatchObject({ ended: "disk" });
  for (const folder of [".", "/tmp"])
    expect(await runShell(manyFiles(folder), small({ diskMb: 8 }))).toMatchObject({ ended: "disk" });
});

test.runIf(controlledHere().includes("memory"))("memory that no process shows is counted too", async () => {
  for (const script of [hiddenMemory, detachedMemory])
    expect(await runShell(script)).toMatchObject({ ended: "memory", stdout: "" });
});

test.runIf(await canHoldDisk())("files that no folder and no process shows are counted too", async () => {
  await using own = await openVolume("agent", sandbox, limits.diskMb);
  const workspace = join(own.room, "workspace");
  mkdirSync(workspace);
  const result = await runShell(hiddenDisk, { workspace, volume: own.room });
  expect(result).toMatchObject({ ended: "disk", stdout: "" });
});

test("whatever detaches itself inside ends with the command", async () => {
  const mark = newMark();
  const script = `setsid sleep ${mark} & (nohup sleep ${mark} >/dev/null 2>&1 &) ; sleep 0.2; echo done`;
  expect((await runShell(script)).stdout).toBe("done\n");
  expect(marked(mark)).toEqual([]);
});

test("a stop at any moment of the start leaves nothing", async () => {
  const mark = newMark();
  for (let ms = 0; ms < 24; ms += 2) {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), ms);
    const result = await runShell(`setsid sleep ${mark} & sleep ${mark}`, {}, stop.signal);
    expect(result.ended).toBe("stopped");
    expect(marked(mark)).toEqual([]);
  }
});

test("killed parent, no survivors", async () => {
  const mark = newMark();
  const workspace = await tempDir();
  const program = `
    import { bubblewrapSandbox } from ${JSON.stringify(new URL("bubblewrap.ts", import.meta.url).href)};
    await bubblewrapSandbox().run({
      workspace: ${JSON.stringify(workspace)}, limits: ${JSON.stringify(limits)},
      command: () => ({ argv: ["sh", "-c", "setsid sleep ${mark} & touch started; sleep ${mark}"] }),
    }, new AbortController().signal);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
  await expect.poll(() => existsSync(join(workspace, "started"))).toBe(true);
  expect(marked(mark).length).toBeGreaterThan(0);
  parent.kill("SIGKILL");
  await expect.poll(() => marked(mark)).toEqual([]);
});

test("a box that cannot be made is a failure of the world", async () => {
  const error = await runShell("true", { readOnly: { "/no/such/thing": "/x" } }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InfraError);
  expect((error as InfraError).message).toContain("/no/such/thing");
  const aborted = await runShell("touch ran", {}, AbortSignal.abort());
  expect(aborted).toMatchObject({ ended: "stopped", exitCode: null });
  expect((await runShell("true")).exitCode).toBe(0);
});

test("the workspace stays usable for whoever started it", async () => {
  const workspace = await tempDir();
  await runShell("mkdir d; echo x > d/f; chmod 600 d/f", { workspace });
  expect(statSync(join(workspace, "d/f")).uid).toBe(process.getuid?.());
});
