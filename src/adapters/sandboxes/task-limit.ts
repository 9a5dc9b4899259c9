import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A number of tasks that the kernel does not let a box exceed. */
export interface TaskLimit extends Disposable {
  /** Words before a command line that put it under the limit. */
  readonly words: readonly string[];
}

/**
 * For root alone, whose processes the kernel spares the ordinary limit: a control group below our own. Undefined
 * where none can be made; then the watch over the box has to be quick enough.
 */
export function openTaskLimit(tasks: number): TaskLimit | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const parent = findParent();
  if (parent === undefined) return undefined;
  const folder = join(parent, `whetstone-${process.pid}-${randomUUID().slice(0, 8)}`);
  try {
    sweep(parent);
    mkdirSync(folder);
    if (!existsSync(join(folder, "pids.max"))) throw new Error("pids are not controlled here");
    writeFileSync(join(folder, "pids.max"), String(tasks));
  } catch {
    remove(folder);
    return undefined;
  }
  return {
    words: ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', join(folder, "cgroup.procs")],
    [Symbol.dispose]: () => remove(folder),
  };
}

/** Our own group in the hierarchy that counts tasks. */
function findParent(): string | undefined {
  try {
    const rows = readFileSync("/proc/self/cgroup", "utf8")
      .split("\n")
      .map((row) => row.split(":"));
    const [, , older] = rows.find(([, names = ""]) => names.split(",").includes("pids")) ?? [];
    if (older !== undefined) return join("/sys/fs/cgroup/pids", older);
    const [, , unified] = rows.find(([number, names]) => number === "0" && names === "") ?? [];
    return unified === undefined ? undefined : join("/sys/fs/cgroup", unified);
  } catch {
    return undefined;
  }
}

/** Groups of processes that were killed before they could tidy up. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, owner] = /^whetstone-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) remove(join(parent, name));
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // not there, or somebody is still in it: the next one sweeps
  }
}
