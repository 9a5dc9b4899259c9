import { join } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { oneLine } from "../core/one-line.ts";
import { spellOut } from "../report/spell-out.ts";
import { checkedFile } from "./checked-file.ts";

/** Nights that failed since the last one that finished. */
export interface Failures {
  /** When the first and the last few failed, in milliseconds since the epoch. */
  readonly at: readonly [number, ...number[]];
  readonly count: number;
  /** The last one's message. */
  readonly message: string;
  /** Its next step. */
  readonly hint?: string;
}

const failuresFile = (journalDir: string) =>
  checkedFile<Failures>(
    join(journalDir, "sleep", "failed.json"),
    "Delete it. The next night writes a new one.",
  );

/** Undefined if the last night finished. */
export function readFailures(journalDir: string): Failures | undefined {
  const failures = failuresFile(journalDir).read();
  return failures?.count === 0 ? undefined : failures;
}

/** Records a failure. A night that waits for a person, or that a person stopped, hasn't failed. */
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
    // the failure at hand matters more
    return undefined;
  }
}

/** Called when a night has finished. */
export async function forgetFailures(journalDir: string): Promise<void> {
  if (readUnlessDamaged(journalDir) !== undefined)
    await failuresFile(journalDir).write({ at: [0], count: 0, message: "" });
}

/** How often a failing night is started, an hour apart, before the next day's. */
export const triesADay = 3;
