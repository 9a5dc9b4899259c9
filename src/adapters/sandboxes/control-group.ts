import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InfraError } from "../../core/errors.ts";

export type Controlled = "memory" | "processes";

export interface GroupLimits {
  readonly tasks: number;
  readonly memoryMb: number;
}

/** Limits that the kernel enforces on a box. */
export interface ControlGroup extends Disposable {
  /** A command prefix that applies the limits. */
  readonly words: readonly string[];
  /** Whether the kernel killed something for memory. */
  overdrawn(): boolean;
}

/**
 * Control groups below our own, in whichever version this machine has. They count things a look at processes misses:
 * memory that only a message in flight still uses, and root's processes, which are exempt from the ordinary limit.
 */
export function openControlGroup(
  limits: GroupLimits,
  which: readonly Controlled[] = controlledHere(),
): ControlGroup {
  // version 2 has one tree for everything, version 1 has one each
  const parents = Map.groupBy(which, (what) => findParent(what));
  const folders: string[] = [];
  const close = (): void => folders.forEach(remove);
  try {
    for (const [parent, here] of parents) {
      const folder = makeGroup(parent);
      folders.push(folder);
      for (const what of here) limitIn(folder, what, limits);
    }
  } catch (error) {
    close();
    throw new InfraError("transport", `The sandbox couldn't be created: ${(error as Error).message}.`);
  }
  const files = folders.map((folder) => join(folder, "cgroup.procs"));
  const enter = files.map((_, at) => `echo $$ > "$${at + 1}" && `).join("");
  return {
    words:
      files.length === 0
        ? []
        : ["/bin/sh", "-c", `${enter}shift ${files.length} && exec "$@"`, "sh", ...files],
    overdrawn: () => folders.some(hasKilled),
    [Symbol.dispose]: close,
  };
}

let controlled: readonly Controlled[] | undefined;

/** The features available here, tried once. */
export function controlledHere(): readonly Controlled[] {
  controlled ??= (["memory", "processes"] as const).filter((one) => {
    try {
      using group = openControlGroup({ tasks: 64, memoryMb: 64 }, [one]);
      const [program = "", ...words] = group.words;
      return spawnSync(program, [...words, "true"], { stdio: "ignore" }).status === 0;
    } catch {
      return false;
    }
  });
  return controlled;
}

/** Our own group in the hierarchy that counts it. */
function findParent(what: Controlled): string {
  const name = what === "memory" ? "memory" : "pids";
  const rows = readFileSync("/proc/self/cgroup", "utf8")
    .split("\n")
    .map((row) => row.split(":"));
  const [, , older] = rows.find(([, names = ""]) => names.split(",").includes(name)) ?? [];
  if (older !== undefined) return join("/sys/fs/cgroup", name, older);
  const [, , unified = "/"] = rows.find(([number, names]) => number === "0" && names === "") ?? [];
  return join("/sys/fs/cgroup", unified);
}

function makeGroup(parent: string): string {
  sweep(parent);
  const folder = join(parent, `whetstone-${process.pid}-${randomUUID().slice(0, 8)}`);
  mkdirSync(folder);
  return folder;
}

function limitIn(folder: string, what: Controlled, { tasks, memoryMb }: GroupLimits): void {
  const isThere = (file: string): boolean => existsSync(join(folder, file));
  const set = (file: string, value: number): void => writeFileSync(join(folder, file), String(value));
  const bytes = memoryMb * 1024 * 1024;
  if (what === "processes") set("pids.max", tasks);
  else if (isThere("memory.max")) {
    set("memory.max", bytes);
    if (isThere("memory.swap.max")) set("memory.swap.max", 0);
  } else {
    set("memory.limit_in_bytes", bytes);
    set("memory.swappiness", 0);
    if (isThere("memory.memsw.limit_in_bytes")) set("memory.memsw.limit_in_bytes", bytes);
  }
}

function hasKilled(folder: string): boolean {
  return ["memory.events", "memory.oom_control"].some((file) => {
    try {
      return /^oom_kill [1-9]/m.test(readFileSync(join(folder, file), "utf8"));
    } catch {
      return false;
    }
  });
}

/** Groups of processes that were killed before they could clean up, and our own that were still in use. */
function sweep(parent: string): void {
  const again = [...left];
  again.forEach(remove);
  for (const name of readdirSync(parent)) {
    const [, owner] = /^whetstone-(\d+)-[0-9a-f]+$/.exec(name) ?? [];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) remove(join(parent, name));
  }
}

const left = new Set<string>();

function remove(folder: string): void {
  left.delete(folder);
  try {
    rmdirSync(folder);
  } catch {
    if (existsSync(folder)) left.add(folder);
  }
}
