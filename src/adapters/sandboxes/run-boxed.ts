import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { InfraError } from "../../core/errors.ts";
import type { SandboxCommand, SandboxJob, SandboxResult } from "../../core/ports/sandbox.ts";
import { coverStrays } from "./stray-descriptors.ts";
import { type BoxLoad, watchLimits } from "./watch-limits.ts";

/** How a kind of box starts, is watched and ends. */
export interface Launch {
  /** The host's command line, which creates the box and runs the command in it. */
  readonly argv: readonly string[];
  /** For the program that creates the box. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: SandboxCommand["stdin"];
  /** The files at descriptors 4, 5, … of the command line; descriptor 3 is for reports, line by line. */
  readonly texts?: readonly (string | Uint8Array)[];
  /** The descriptor after those is only closed when our process ends. */
  readonly lifeline?: boolean;
  readonly onReport?: (line: string) => void;
  /** Its own process group, so that it can be killed as one. */
  readonly detached?: boolean;
  /** The processes in the box now; undefined if there's nothing to see yet. */
  readonly look: (child: ChildProcess) => BoxLoad | undefined | Promise<BoxLoad | undefined>;
  /** The interval. */
  readonly everyMs: number;
  /** Ends all of it at once. */
  readonly kill: (child: ChildProcess) => void;
  /** Resolves when none of its processes is left. */
  readonly gone?: () => Promise<void>;
}

/** Runs a box to its end under its limits. */
export async function runBoxed(launch: Launch, job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
  const started = performance.now();
  let ended: SandboxResult["ended"] = "exit";
  const stdout = keepTail(job.onLine);
  const stderr = keepTail();
  const result = (exitCode: number | null): SandboxResult => ({
    exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    ended,
    ms: Math.round(performance.now() - started),
  });
  if (signal.aborted) {
    ended = "stopped";
    return result(null);
  }

  const [program = "", ...words] = launch.argv;
  const texts = launch.texts ?? [];
  const given = [
    launch.stdin === undefined ? ("ignore" as const) : ("pipe" as const),
    ...Array.from({ length: 3 + texts.length + (launch.lifeline === true ? 1 : 0) }, () => "pipe" as const),
  ];
  using cover = coverStrays(given.length);
  const start = (): ChildProcess =>
    spawn(program, words, {
      cwd: launch.cwd ?? "/",
      env: launch.env,
      detached: launch.detached === true,
      stdio: [...given, ...cover.stdio],
    });
  const child = orRefuse(start);
  // read to the end, or the child would never count as closed
  if (launch.lifeline === true) (child.stdio[texts.length + 4] as Readable).on("error", ignore).resume();
  const end = (how: SandboxResult["ended"]): void => {
    if (ended !== "exit" || child.exitCode !== null || child.signalCode !== null) return;
    ended = how;
    launch.kill(child);
  };
  child.stdout?.on("data", stdout.take);
  child.stderr?.on("data", stderr.take);
  const reports = keepTail(launch.onReport);
  (child.stdio[3] as Readable | null)?.on("data", reports.take).on("error", ignore);
  for (const [at, text] of texts.entries()) {
    const pipe = child.stdio[at + 4] as NodeJS.WritableStream;
    pipe.on("error", ignore);
    pipe.end(text);
  }
  feed(child, launch.stdin);

  const stop = (): void => end("stopped");
  signal.addEventListener("abort", stop, { once: true });
  const clock = setTimeout(() => end("time"), job.limits.seconds * 1000);
  const watch = watchLimits(() => launch.look(child), job, launch.everyMs, end);
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(error)));
      child.once("close", (code) => resolve(code));
      // on the host, an escaped process could keep the pipes open forever
      if (launch.detached === true)
        child.once("exit", (code) => setTimeout(() => resolve(code), 1000).unref());
    });
    await launch.gone?.();
    if (ended === "exit" && (await watch.overfull())) ended = "disk";
    stdout.finish();
    return result(ended === "exit" ? exitCode : null);
  } finally {
    watch.stop();
    clearTimeout(clock);
    signal.removeEventListener("abort", stop);
  }
}

const notStarted = ({ message }: Error): InfraError =>
  new InfraError("refused", `The sandbox couldn't be started: ${message}.`);

/** Some start failures are thrown: a stray descriptor with the highest possible number leaves no room to cover it. */
function orRefuse<Result>(start: () => Result): Result {
  try {
    return start();
  } catch (error) {
    throw notStarted(error as Error);
  }
}

const ignore = (): void => {};

function feed(child: ChildProcess, stdin: SandboxCommand["stdin"]): void {
  if (stdin === undefined || child.stdin === null) return;
  child.stdin.on("error", ignore);
  if (typeof stdin === "string") child.stdin.end(stdin);
  // a command that doesn't read its whole input hasn't failed
  else pipeline(Readable.from(stdin), child.stdin).catch(ignore);
}

const tailBytes = 4 * 1024 * 1024;

/** Keeps the end of a stream and reports its lines. */
function keepTail(onLine?: (line: string) => void) {
  const decoder = new StringDecoder("utf8");
  let chunks: Buffer[] = [];
  let size = 0;
  let line = "";
  return {
    take: (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > 2 * tailBytes) {
        chunks = [Buffer.concat(chunks).subarray(-tailBytes)];
        size = tailBytes;
      }
      if (onLine === undefined) return;
      const lines = (line + decoder.write(chunk)).split("\n");
      line = lines.pop() ?? "";
      // an endless line is dropped, not collected
      if (line.length > 2 * tailBytes) line = "";
      for (const each of lines) onLine(each);
    },
    finish: (): void => {
      if (line !== "") onLine?.(line);
      line = "";
    },
    text: (): string => Buffer.concat(chunks).subarray(-tailBytes).toString("utf8"),
  };
}
