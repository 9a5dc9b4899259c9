import { type Telemetry, openTelemetry } from "../../adapters/telemetry/open-telemetry.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { writeArtifacts } from "../reports/artifacts.ts";
import type { WriteArtifacts } from "../verbs/verb.ts";
import { type Session, type SessionOptions, openSession } from "./session.ts";
import { keepReplies, timeReplies } from "./timed-replies.ts";
import { createTiming } from "./timing.ts";

export interface RunOptions
  extends Pick<SessionOptions, "journal" | "signal" | "onEvent" | "policy" | "clock"> {
  /** Whether artifacts are written. @default true */
  readonly artifacts?: boolean;
}

export interface RunPlace {
  readonly run: string;
  /** The folders for the artifacts: one to read back, one as an export. */
  readonly folders: readonly string[];
  readonly resolved: Resolved;
}

/** One execution of a run: its lock, its session, and an orderly end even after an error. */
export async function runInSession<T>(
  { run, folders, resolved }: RunPlace,
  options: RunOptions,
  body: (session: Session, write: WriteArtifacts) => Promise<T>,
): Promise<T> {
  const write: WriteArtifacts = async (files) => {
    if (options.artifacts === false) return;
    for (const folder of new Set(folders)) await writeArtifacts(folder, files);
  };
  const lock = await options.journal.lock(run);
  try {
    const timing = createTiming();
    const replies = timeReplies(resolved);
    let telemetry: Telemetry | undefined;
    const onEvent = (event: RunEvent) => {
      timing.add(event);
      replies.add(event);
      telemetry?.add(event);
      options.onEvent?.(event);
    };
    const session = await openSession({ ...options, run, resolved, onEvent });
    try {
      if (resolved.telemetry === true) {
        telemetry = await openTelemetry(options.journal);
      }
      return await endLoudly(session, resolved, () => body(session, write));
    } finally {
      await session.close();
      await telemetry?.close();
      await resolved.close?.();
      await write({ "timing.json": timing.text() });
      // times from a custom clock aren't about this machine
      if (options.clock === undefined) await keepReplies(replies.rows());
    }
  } finally {
    await lock.release();
  }
}

/** The reason for a stop becomes the run's last event. */
async function endLoudly<T>(session: Session, { environment }: Resolved, body: () => Promise<T>): Promise<T> {
  const { context } = session;
  try {
    return await body();
  } catch (error) {
    // the abort reason is the first error, which stopped everything else
    const cause = context.signal.aborted ? (context.signal.reason as Error) : (error as Error);
    const known = cause instanceof WhetstoneError ? cause : undefined;
    context.emit({
      type: "run-end",
      status: "stopped",
      code: known?.code ?? "failed",
      message: cause.message,
      ...(known?.hint === undefined ? {} : { next: known.hint }),
      cost: await session.booked(),
    });
    throw cause;
  } finally {
    await environment.teardown?.();
  }
}
