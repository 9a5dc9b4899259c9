import { closeSync, openSync, readFileSync, readdirSync } from "node:fs";

/** For `stdio` of a child. */
export interface Cover extends Disposable {
  readonly stdio: readonly (number | "ignore")[];
}

/**
 * Every child would inherit files, folders and sockets that our parent left open, through bubblewrap too. From this
 * number on, each is replaced by /dev/null: Node closes its own, but can't close these in a child.
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

/** Open descriptors that aren't closed when a program starts. macOS only passes on those it is given. */
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
