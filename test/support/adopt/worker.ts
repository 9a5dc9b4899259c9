// Adopts or undoes in a process of its own, and dies by SIGKILL at the operation it is told.
import { adoptOffer } from "../../../src/run/offer/adopt.ts";
import { undoOffer } from "../../../src/run/offer/undo.ts";
import { type FileOperations, fileOperations } from "../../../src/run/offer/file-operations.ts";
import type { FinishedRun } from "../../../src/run/offer/proposal.ts";

export interface Order {
  readonly command: "adopt" | "undo";
  readonly run: FinishedRun;
  /** The operation to die at, from 1; none when missing. */
  readonly at?: number;
  /** `torn`: half of the bytes are written. */
  readonly moment?: "before" | "torn" | "after";
}

const { command, run, at, moment }: Order = JSON.parse(process.argv[2] ?? "{}");
const done: string[] = [];

const mortal = Object.fromEntries(
  Object.entries(fileOperations).map(([name, operate]) => {
    const perform = operate as (...args: unknown[]) => unknown;
    return [name, (...args: unknown[]) => operation(name, perform, args)];
  }),
) as unknown as FileOperations;

function operation(
  name: string,
  perform: (...args: unknown[]) => unknown,
  args: readonly unknown[],
): unknown {
  done.push(name);
  const isFatal = done.length === at;
  if (isFatal && moment === "before") die();
  if (isFatal && moment === "torn") {
    const [file, bytes] = args as [number, Uint8Array];
    perform(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
    die();
  }
  const result = perform(...args);
  if (isFatal) die();
  return result;
}

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // the signal may take a moment, and nothing may happen in it
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

await (command === "adopt" ? adoptOffer : undoOffer)(run, { operations: mortal });
process.stdout.write(JSON.stringify(done));
