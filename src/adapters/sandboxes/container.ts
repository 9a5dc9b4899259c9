import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { lchown, readdir } from "node:fs/promises";
import { join } from "node:path";
import { InfraError } from "../../core/errors.ts";
import type { Inside, Sandbox, SandboxJob, SandboxLimits } from "../../core/ports/sandbox.ts";
import { bridgeCommand, bridgePort } from "./bridge.ts";
import { runBoxed } from "./run-boxed.ts";

export interface ContainerOptions {
  /** `docker` or `podman`, as found on PATH. */
  readonly program: string;
  /** Must contain everything the agent needs, and `node` for the way to the model. @default node:24-bookworm-slim */
  readonly image?: string;
  /** The environment of the program itself; none of it gets inside. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A docker or podman container: no network, no capabilities, a read-only root, kernel limits. It belongs to a service
 * and not to us, so if we are killed, it lives until its time is over.
 */
export function containerSandbox({
  program,
  image = "node:24-bookworm-slim",
  env,
}: ContainerOptions): Sandbox {
  return {
    name: "container",
    heldByKernel: async () => ["memory", "processes"],
    async run(job, signal) {
      for (const folder of [job.workspace, job.home]) if (folder !== undefined) await handOver(folder);
      const name = `whetstone-${randomUUID()}`;
      const { argv, stdin } = describeContainer(job, name, image);
      const result = await runBoxed(
        {
          argv: [program, ...argv],
          env,
          stdin,
          look: () => undefined,
          everyMs: 500,
          // the client is only a messenger, so we have to stop the container itself
          kill: () => void spawn(program, ["kill", name], { env, stdio: "ignore" }).on("error", () => {}),
        },
        job,
        signal,
      );
      // docker's and podman's own failures
      if (result.ended === "exit" && result.exitCode === 125) {
        throw new InfraError(
          "refused",
          `The container couldn't be created: ${result.stderr.trim().slice(-500)}`,
        );
      }
      // killed by the kernel for its memory
      return result.ended === "exit" && result.exitCode === 137
        ? { ...result, exitCode: null, ended: "memory" }
        : result;
    },
  };
}

/** The arguments for one job of `docker` or `podman`. */
export function describeContainer(job: SandboxJob, name: string, image: string) {
  const inside: Inside = {
    workspace: "/home/dev/project",
    home: "/home/dev",
    path: (key) => job.readOnly?.[key] ?? key,
    baseUrl: job.socket === undefined ? "" : `http://127.0.0.1:${bridgePort}`,
  };
  const { argv, env = {}, stdin } = job.command(inside);
  const { uid, gid } = ownIds();
  const socket = "/run/whetstone/model.sock";
  const words: readonly (readonly string[])[] = [
    ["run", "--rm", "--name", name, "--init", ...(stdin === undefined ? [] : ["--interactive"])],
    ["--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"],
    ["--user", `${uid}:${gid}`, "--hostname", "whetstone", "--pull", "missing", "--ipc", "private"],
    limitOptions(job.limits),
    job.home === undefined
      ? ["--tmpfs", `/home/dev:rw,nosuid,nodev,mode=1777,size=${job.limits.diskMb}m`]
      : ["--volume", `${job.home}:/home/dev:rw`],
    ["--volume", `${job.workspace}:/home/dev/project:rw`],
    Object.entries(job.within ?? {}).flatMap(([host, path]) => [
      "--volume",
      `${host}:/home/dev/project/${path}:ro`,
    ]),
    Object.entries(job.readOnly ?? {}).flatMap(([host, path]) => ["--volume", `${host}:${path}:ro`]),
    job.socket === undefined ? [] : ["--volume", `${job.socket}:${socket}:ro`],
    ["--workdir", inside.workspace],
    setVariables({ HOME: "/home/dev", TMPDIR: "/tmp", LANG: "C.UTF-8" }),
    setVariables(env),
    [image, "timeout", "--signal", "KILL", String(Math.ceil(job.limits.seconds) + 5)],
    job.socket === undefined ? argv : bridgeCommand("node", socket, argv),
  ];
  return { stdin, argv: words.flat() };
}

const setVariables = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);

function limitOptions({ memoryMb, processes, diskMb }: SandboxLimits): readonly string[] {
  // no swap on top: both numbers are the same
  const memory = ["--memory", `${memoryMb}m`, "--memory-swap", `${memoryMb}m`];
  const tasks = ["--pids-limit", String(Math.max(512, 16 * processes))];
  const temporary = ["--tmpfs", `/tmp:rw,nosuid,nodev,mode=1777,size=${diskMb}m`];
  const files = ["--ulimit", "core=0", "--ulimit", `fsize=${(diskMb + 1) * 1024 * 1024}`];
  return [...memory, ...tasks, ...temporary, ...files];
}

/** The user who starts it, so that workspace files stay theirs. Root's files go to an ordinary user. */
function ownIds(): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = [process.getuid?.() ?? 1000, process.getgid?.() ?? 1000];
  return uid === 0 ? { uid: 1000, gid: 1000 } : { uid, gid };
}

/** Otherwise root's files would not be writable inside. */
async function handOver(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = ownIds();
  await lchown(folder, uid, gid);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
}
