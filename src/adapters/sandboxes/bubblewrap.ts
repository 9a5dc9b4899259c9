import { existsSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { InfraError } from "../../core/errors.ts";
import type { Inside, Sandbox, SandboxJob, SandboxLimits, SandboxResult } from "../../core/ports/sandbox.ts";
import { bridgeCommand, bridgePort } from "./bridge.ts";
import { controlledHere, type GroupLimits, openControlGroup } from "./control-group.ts";
import { canHoldDisk } from "./own-volume.ts";
import { lookIntoBox } from "./look-into-box.ts";
import { runBoxed } from "./run-boxed.ts";
import { systemCallFilter } from "./system-call-filter.ts";

export interface BubblewrapOptions {
  /** @default bwrap, as found on PATH */
  readonly program?: string;
  /** A command prefix, such as a systemd scope that limits memory and tasks in the kernel. */
  readonly scope?: (limits: SandboxLimits) => readonly string[];
  /** The environment of bwrap itself; none of it gets inside. @default only a PATH */
  readonly env?: Readonly<Record<string, string>>;
  /** Put on PATH inside as `node`. @default the Node that runs this */
  readonly node?: string;
}

/**
 * Linux namespaces through bubblewrap: its own users, processes, network, mounts and IPC. It sees the system's
 * programs and the job's files on the host, but none of the host's processes and not its network.
 */
export function bubblewrapSandbox(options: BubblewrapOptions = {}): Sandbox {
  const { program = "bwrap", scope, env = { PATH: systemPath }, node = process.execPath } = options;
  return {
    name: "bubblewrap",
    heldByKernel: async () => {
      const group = scope === undefined ? controlledHere() : (["memory", "processes"] as const);
      // an ordinary user's processes have their own limit
      const tasks = process.getuid?.() !== 0 && existsSync(prlimit) ? (["processes"] as const) : [];
      return [...new Set([...group, ...tasks, ...((await canHoldDisk()) ? (["disk"] as const) : [])])];
    },
    async run(job, signal) {
      const filter = systemCallFilter();
      using group = openControlGroup(kernelLimits(job.limits), scope === undefined ? controlledHere() : []);
      let init: number | undefined;
      let [ran, doomed] = [false, false];
      const { words, command, stdin } = describeBox(await resolveLinks(job), await realpath(node));
      const result = await runBoxed(
        {
          // the box can read its first process's command line and environment, so neither reveals the host
          argv: [
            ...(scope?.(job.limits) ?? group.words),
            "/usr/bin/env",
            "-i",
            program,
            "--args",
            "8",
            "--",
            ...command,
          ],
          env,
          stdin,
          texts: [passwdFile, groupFile, hostsFile, filter, words.map((word) => `${word}\0`).join("")],
          lifeline: true,
          onReport(line) {
            const report = readReport(line);
            init ??= report["child-pid"];
            ran ||= report["exit-code"] !== undefined;
            if (doomed && report["child-pid"] !== undefined) killProcess(report["child-pid"]);
          },
          look() {
            const { processes, memoryMb } = job.limits;
            const load = init === undefined ? undefined : lookIntoBox(init, processes, memoryMb);
            return load && { ...load, overdrawn: group.overdrawn() };
          },
          everyMs: 100,
          // the namespace dies with its first process; killing only bwrap could be too early for that
          kill(child) {
            doomed = true;
            if (init !== undefined) killProcess(init);
            else setTimeout(() => child.kill("SIGKILL"), 5000).unref();
          },
          gone: async () => {
            if (init !== undefined) await waitUntilGone(init);
          },
        },
        job,
        signal,
      );
      if (result.ended === "exit" && group.overdrawn()) return { ...result, exitCode: null, ended: "memory" };
      if (result.ended === "exit" && !ran) throw notMade(result);
      return result;
    },
  };
}

const home = "/home/dev";
const workspace = "/home/dev/project";
const tools = "/opt/whetstone/bin";
const socketInside = "/run/whetstone/model.sock";
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const passwdFile = `root:x:0:0:root:/nonexistent:/usr/sbin/nologin\ndev:x:1000:1000:dev:${home}:/bin/sh\n`;
const groupFile = "root:x:0:\ndev:x:1000:\n";
const hostsFile = "127.0.0.1 localhost\n::1 localhost\n";

/** The arguments bwrap gets for one job, and the command it runs. */
function describeBox(job: SandboxJob, node: string) {
  const readOnly = Object.entries(job.readOnly ?? {});
  const inside: Inside = {
    workspace,
    home,
    path: (key) => job.readOnly?.[key] ?? key,
    baseUrl: job.socket === undefined ? "" : `http://127.0.0.1:${bridgePort}`,
  };
  const { argv, env = {}, stdin } = job.command(inside);
  const variables = { PATH: `${tools}:${systemPath}`, HOME: home, TMPDIR: "/tmp", LANG: "C.UTF-8", ...env };
  const disk = String(job.limits.diskMb * 1024 * 1024);
  const words: readonly (readonly string[])[] = [
    ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
    ["--uid", "1000", "--gid", "1000", "--hostname", "whetstone", "--cap-drop", "ALL", "--clearenv"],
    Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
    systemMounts(),
    ["--ro-bind-data", "4", "/etc/passwd", "--ro-bind-data", "5", "/etc/group"],
    ["--ro-bind-data", "6", "/etc/hosts", "--seccomp", "7"],
    ["--proc", "/proc", ...hiddenFiles(), "--remount-ro", "/proc"],
    `--dev /dev --size ${sharedMemoryMb * 1024 * 1024} --tmpfs /dev/shm --remount-ro /dev`.split(" "),
    ["--perms", "1777", "--size", disk, "--tmpfs", "/tmp"],
    job.home === undefined ? ["--size", disk, "--tmpfs", home] : ["--bind", job.home, home],
    ["--bind", job.workspace, workspace],
    Object.entries(job.within ?? {}).flatMap(([host, path]) => ["--ro-bind", host, `${workspace}/${path}`]),
    ["--ro-bind", node, `${tools}/node`],
    readOnly.flatMap(([host, path]) => ["--ro-bind", host, path]),
    job.socket === undefined ? [] : ["--ro-bind", job.socket, socketInside],
    // last, because the mount points' parent is in the host's memory and must not be writable
    ["--remount-ro", "/", "--chdir", workspace, "--json-status-fd", "3"],
  ];
  const command = job.socket === undefined ? argv : bridgeCommand(`${tools}/node`, socketInside, argv);
  return { stdin, words: words.flat(), command: [...limitCommand(job), ...lifelineCommand, ...command] };
}

/** Programs and libraries, and only those parts of /etc that they need to start. */
function systemMounts(): readonly string[] {
  const linked = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--ro-bind", path, path];
  });
  const plain = ["/usr", "/nix/store", ...etcPaths].flatMap((path) => ["--ro-bind-try", path, path]);
  return [...plain, ...linked];
}

const etcPaths: readonly string[] = [
  ..."alternatives ca-certificates ld.so.cache ld.so.conf ld.so.conf.d localtime nsswitch.conf".split(" "),
  ..."pki/ca-trust pki/tls ssl/certs ssl/openssl.cnf".split(" "),
].map((name) => `/etc/${name}`);

/**
 * /proc is read-only. If root starts a box, its processes are root to the kernel, and could otherwise change switches
 * such as /proc/sys/kernel/core_pattern. Writing to another's /proc/<pid>/mem takes that process over. The hidden
 * files reveal the host's own keys, timers and memory.
 */
const hiddenFiles = (): readonly string[] =>
  ["kcore", "key-users", "keys", "kpagecgroup", "kpagecount", "kpageflags", "sched_debug", "timer_list"]
    .map((name) => `/proc/${name}`)
    .filter((path) => existsSync(path))
    .flatMap((path) => ["--ro-bind", "/dev/null", path]);

/**
 * Kernel limits in addition to the watch: no file above the disk limit, no core dumps, and a task count that busy but
 * honest multi-threaded programs don't reach. The kernel exempts root from the last one: see `openControlGroup`.
 */
function limitCommand(job: SandboxJob): readonly string[] {
  if (!existsSync(prlimit)) return [];
  const fileBytes = Math.min((job.limits.diskMb + 1) * 1024 * 1024, hardLimit("Max file size"));
  const tasks = Math.min(kernelLimits(job.limits).tasks, hardLimit("Max processes"));
  return [prlimit, `--fsize=${fileBytes}`, "--core=0", `--nproc=${tasks}`, "--"];
}

/** Slightly above the watch's own limits, so that it can say which was reached. Files in /tmp and /dev/shm count too. */
export const kernelLimits = ({ memoryMb, processes, diskMb }: SandboxLimits): GroupLimits => ({
  tasks: Math.max(512, 16 * processes),
  memoryMb: Math.ceil(memoryMb * 1.25) + diskMb + sharedMemoryMb,
});

const sharedMemoryMb = 64;

/** Any process can lower a limit, but not raise it. */
function hardLimit(name: string): number {
  const [, hard] =
    new RegExp(`^${name} +\\S+ +(\\d+)`, "m").exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

const prlimit = "/usr/bin/prlimit";

/**
 * Waits next to the command until our process ends, which closes descriptor 9. Bubblewrap ties the box to us too, but
 * not from its very first moment.
 */
const lifelineCommand: readonly string[] = [
  "/bin/sh",
  "-c",
  '(read -r line <&9; kill -KILL -1) >/dev/null 2>&1 </dev/null & exec "$@" 9<&-',
  "sh",
];

async function resolveLinks(job: SandboxJob): Promise<SandboxJob> {
  try {
    return {
      ...job,
      workspace: await realpath(job.workspace),
      ...(job.home === undefined ? {} : { home: await realpath(job.home) }),
    };
  } catch (error) {
    throw new InfraError("refused", `The sandbox couldn't be created: ${(error as Error).message}.`);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
    // dying takes CPU time too, and thousands of others may want it
    setPriority(pid, -20);
  } catch {
    // it has already ended, or only root may kill it
  }
}

function readReport(line: string): Readonly<Record<string, number | undefined>> {
  try {
    return JSON.parse(line) as Record<string, number>;
  } catch {
    return {};
  }
}

/** The first process of a PID namespace ends only after all others in it. */
async function waitUntilGone(init: number): Promise<void> {
  for (let tries = 0; tries < 2000; tries += 1) {
    let state: string;
    try {
      state = readFileSync(`/proc/${init}/stat`, "utf8");
    } catch {
      return;
    }
    // its parent hasn't collected it yet, but it is dead
    if (/^\d+ \(.*\) [ZX] /s.test(state)) return;
    await sleep(5);
  }
  throw new InfraError("transport", "A process in the sandbox didn't end within 10 seconds of being killed.");
}

function notMade({ stderr }: SandboxResult): InfraError {
  const said = stderr.trim().slice(-500) || "bubblewrap gave no reason";
  const busy = /Resource temporarily unavailable|Cannot allocate memory|Too many open files/i.test(said);
  return new InfraError(busy ? "transport" : "refused", `The sandbox couldn't be created: ${said}`);
}
