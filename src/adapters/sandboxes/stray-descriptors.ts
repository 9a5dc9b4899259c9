import { closeSync, openSync, readFileSync, readdirSync } from "node:fs";

/** For `stdio` of a child. */
export interface Cover extends Disposable {
  readonly stdio: readonly (number | "ignore")[];
}

/**
 * Whatever started us may have left files, folders and sockets open, which every child would inherit, through bubblewrap too. Each of them
 * from this number on is replaced by /dev/null: Node closes what it opened itself, and cannot close these in a child.
 */
export function coverStrays(from: number): Cover {
  const strays = new Set(strayDescriptors().filter((number) => number >= from));
  if (strays.size === 0) return { stdio: [], [Symbol.dispose]: () => {} };
  const nothing = openSync("/dev/null", "r+");
  const count = Math.max(...strays) + 1 - from;
  return {
    stdio: Array.from({ length: count }, (_, at) => (strays.has(from + at) ? nothing : "ignore")),
    [Symbol.dispose]: () => closeSync(nothing),
  };
}

/** Open descriptors that are not closed when a program starts. macOS hands on none but those that are given. */
function strayDescriptors(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").map(Number).filter(isHandedOn);
}

function isHandedOn(number: number): boolean {
  try {
    const [, flags = "0"] =
      /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // the one that listed the folder
    return false;
  }
}

const closeOnExec = 0o2000000;
