import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { BoxLoad } from "./watch-limits.ts";

export interface Tree extends BoxLoad {
  readonly pids: readonly number[];
}

/**
 * The descendants of a process, as `ps` tells them. One that gave up its parent and its group is not found:
 * a box with its own process numbers has no such gap.
 */
export async function lookAtTree(root: number): Promise<Tree> {
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
