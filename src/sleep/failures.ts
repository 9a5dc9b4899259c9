import { join } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { oneLine } from "../core/one-line.ts";
import { spellOut } from "../report/spell-out.ts";
import { checkedFile } from "./checked-file.ts";

/** Nights that failed since the last one that ended. */
export interface Failures {
  /** When each began to fail, in milliseconds since the epoch: the first, and the last few. */
  readonly at: readonly [number, ...number[]];
  readonly count: number;
  /** Of the last one. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

const failuresFile = (journalDir: string) =>
  checkedFile<Failures>(
    join(journalDir, "sleep", "failed.json"),
    "Delete it: the next night writes its own.",
  );

/** Undefined where the last night ended. */
export function readFailures(journalDir: string): Failures | undefined {
  const failures = failuresFile(journalDir).read();
  return failures?.count === 0 ? undefined : failures;
}

/** What waits for a person or was stopped by one has not failed. */
export async function noteFailure(journalDir: string, error: unknown, now: number): Promise<void> {
  const { code, hint } = error instanceof WhetstoneError ? error : {};
  if (code === "handoff-pending" || code === "interrupted" || code === "run-locked") return;
  const before = readUnlessDamaged(journalDir);
  const [first, ...others] = before?.at ?? [];
  await failuresFile(journalDir).write({
    at: first === undefined ? [now] : [first, ...others.slice(1 - triesADay), now],
    count: (before?.count ?? 0) + 1,
    message: spellOut(oneLine(error instanceof Error ? error.message : String(error), 300)),
    ...(hint === undefined ? {} : { hint: spellOut(oneLine(hint, 300)) }),
  });
}

function readUnlessDamaged(journalDir: string): Failures | undefined {
  try {
    return readFailures(journalDir);
  } catch {
    // what is to be told is the failure at hand
    return undefined;
  }
}

/** For a night that ended. */
export async function forgetFailures(journalDir: string): Promise<void> {
  if (readUnlessDamaged(journalDir) !== undefined)
    await failuresFile(journalDir).write({ at: [0], count: 0, message: "" });
}

/** How often a night that fails is begun, an hour apart, before the next day's. */
export const triesADay = 3;
