import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { InfraError } from "../../core/errors.ts";
import type { SandboxJob } from "../../core/ports/sandbox.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";

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

// what a box holds in and keeps out is tried by the proof `escape`, on every push
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

test("a stray descriptor that cannot be covered refuses the box", () => {
  const program = `
    import { bubblewrapSandbox } from ${JSON.stringify(new URL("bubblewrap.ts", import.meta.url).href)};
    const job = { workspace: "/tmp", limits: ${JSON.stringify(limits)}, command: () => ({ argv: ["true"] }) };
    const error = await bubblewrapSandbox().run(job, new AbortController().signal).catch((thrown) => thrown);
    console.log(error.name, error.message);`;
  const shell = 'ulimit -n 256 && exec 255</ && exec "$0" --input-type=module -e "$1"';
  const { stdout } = spawnSync("bash", ["-c", shell, process.execPath, program], { encoding: "utf8" });
  expect(stdout).toMatch(/^InfraError The sandbox couldn't be started: /);
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

test("behind the way to the socket, exit codes are the command's own", async () => {
  const workspace = await tempDir();
  const run = (script: string) => runShell(script, { workspace, socket: join(workspace, "none.sock") });
  writeFileSync(join(workspace, "none.sock"), "");
  expect((await run("exit 9")).exitCode).toBe(9);
  expect((await run("kill -TERM $$")).exitCode).toBe(143);
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
