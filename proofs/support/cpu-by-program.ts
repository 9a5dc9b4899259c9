import { readFileSync, readdirSync } from "node:fs";

/** Processor time so far, in milliseconds, of this process ("coordinator") and of all below it, by program. */
export function cpuByProgram(): ReadonlyMap<string, number> {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)));
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === process.pid || isBelow(parent));
  };
  const sums = new Map<string, number>();
  for (const { pid, program, ms } of processes) {
    if (pid !== process.pid && !isBelow(pid)) continue;
    const name = pid === process.pid ? "coordinator" : program === "node" ? "workers" : program;
    sums.set(name, (sums.get(name) ?? 0) + ms);
  }
  return sums;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly ms: number;
}

/** Empty when the process has ended meanwhile. Linux counts in hundredths of a second. */
function readStat(pid: number): readonly Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, program = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? [];
    const fields = rest.split(" ");
    const ms = 10 * (Number(fields[11]) + Number(fields[12]));
    return [{ pid, parent: Number(fields[1]), program: program.replace("MainThread", "node"), ms }];
  } catch {
    return [];
  }
}
