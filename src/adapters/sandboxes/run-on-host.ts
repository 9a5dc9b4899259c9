import { type ChildProcess, execFile } from "node:child_process";
import { readlink, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Inside, SandboxJob, SandboxResult } from "../../core/ports/sandbox.ts";
import { openHostBridge } from "./bridge.ts";
import { makeOwnFolder } from "./own-folder.ts";
import { runBoxed } from "./run-boxed.ts";
import { promisify } from "node:util";
import type { BoxLoad } from "./watch-limits.ts";

/** The facts a wrapper needs for one job that runs among the host's own files. */
export interface HostPlace {
  readonly workspace: string;
  readonly home: string;
  readonly temporary: string;
  /** The only port it may connect to. */
  readonly port: number | undefined;
}

/**
 * Runs a job with the host's paths, network and process numbers, in a cleared environment, behind a wrapper (or
 * none). Its tree is watched with `ps`, and killed as a group and one by one.
 */
export async function runOnHost(
  job: SandboxJob,
  signal: AbortSignal,
  wrap: (argv: readonly string[], place: HostPlace) => readonly string[],
): Promise<SandboxResult> {
  const folder = await makeOwnFolder("box");
  await using bridge = job.socket === undefined ? undefined : await openHostBridge(job.socket);
  const place: HostPlace = {
    workspace: job.workspace,
    home: job.home ?? folder,
    temporary: folder,
    port: bridge?.port,
  };
  const inside: Inside = {
    workspace: place.workspace,
    home: place.home,
    path: (key) => key,
    baseUrl: bridge === undefined ? "" : `http://127.0.0.1:${bridge.port}`,
  };
  await linkWithin(job);
  const { argv, env = {}, stdin } = job.command(inside);
  const path = [dirname(process.execPath), "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin"].join(
    ":",
  );
  let tree: Tree | undefined;
  const end = (child: ChildProcess): void => {
    for (const pid of [-(child.pid ?? 0), ...(tree?.pids ?? [])]) kill(pid);
  };
  let group = 0;
  try {
    return await runBoxed(
      {
        argv: wrap(argv, place),
        env: { PATH: path, HOME: place.home, TMPDIR: folder, LANG: "C.UTF-8", ...env },
        cwd: job.workspace,
        stdin,
        detached: true,
        look: async (child) => {
          group = child.pid ?? 0;
          tree = await lookAtTree(group);
          return tree;
        },
        everyMs: 500,
        kill: end,
      },
      job,
      signal,
    );
  } finally {
    // processes that outlived their parent and that we saw
    for (const pid of [...(group === 0 ? [] : [-group]), ...(tree?.pids ?? [])]) kill(pid);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nothing can be mounted here, so a link leads to the folder itself. */
async function linkWithin({ workspace, within = {} }: SandboxJob): Promise<void> {
  for (const [host, path] of Object.entries(within)) {
    const place = join(workspace, path);
    // an earlier box may have left it
    if ((await readlink(place).catch(() => undefined)) === host) continue;
    await rm(place, { recursive: true, force: true });
    await symlink(host, place);
  }
}

function kill(pid: number): void {
  if (pid === 0 || pid === 1 || pid === -1) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

interface Tree extends BoxLoad {
  readonly pids: readonly number[];
}

/**
 * A process's descendants, as listed by `ps`. One that left both its parent and its group isn't found; a box with its
 * own process numbers doesn't have this gap.
 */
async function lookAtTree(root: number): Promise<Tree> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,pgid=,rss="], { maxBuffer: 64 * 1024 * 1024 });
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, group = 0, kb = 0]) => ({ pid, parent, group, kb }));
  const children = Map.groupBy(rows, ({ parent }) => parent);
  const found = new Set(rows.filter(({ pid, group }) => pid === root || group === root));
  for (const row of found) for (const child of children.get(row.pid) ?? []) found.add(child);
  const kb = [...found].reduce((sum, row) => sum + row.kb, 0);
  return { pids: [...found].map(({ pid }) => pid), processes: found.size, memoryMb: kb / 1024 };
}

const run = promisify(execFile);
