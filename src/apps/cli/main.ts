#!/usr/bin/env node
import { createRequire } from "node:module";
import { readEnv } from "../../config/env.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { reportError } from "../../show/report-error.ts";
import { type OpenedIo, openIo } from "./open-io.ts";
import { createProgram } from "./program.ts";
import { typedCommands } from "./typed-commands.ts";

/** The only place that touches arguments, standard output, signals and exit codes. */
async function main(): Promise<number> {
  const stop = new AbortController();
  const { stdin, stdout, stderr } = process;
  let typed = (text: string): string => text;
  const io = openIo({
    stdin,
    stdout,
    stderr,
    isAnswered: stdin.isTTY,
    env: readEnv(),
    cwd: process.cwd(),
    program: [process.execPath, ...process.argv.slice(1, 2)],
    stop,
    typed: (text) => typed(text),
  });
  hearSignals(io, stop);
  hearNode(io);
  const { version } = createRequire(import.meta.url)("whetstone/package.json") as { version: string };
  try {
    const program = createProgram(io, version, process.argv.slice(2));
    typed = typedCommands(
      readEnv(),
      program.commands.map((command) => command.name()),
      { script: process.argv[1], cwd: process.cwd() },
    );
    // people who type the name alone want to begin; a script gets the help
    const isAlone = process.argv.length === 2 && io.prompt !== undefined;
    await program.parseAsync(isAlone ? [...process.argv, "start"] : process.argv);
    return 0;
  } catch (error) {
    const isAbort = stop.signal.aborted && error instanceof Error && error.name === "AbortError";
    return reportError(isAbort ? interrupted : error, io, process.argv.slice(2));
  }
}

/** For commands without a message of their own for an interrupt. */
const interrupted = new WhetstoneError("interrupted", "Stopped as you asked.", {
  hint: "Run the same command again to continue; finished work is kept.",
});

/** If ending takes longer than this and isn't waiting for a call, it hangs. */
const momentMs = 5000;

function hearSignals(io: OpenedIo, stop: AbortController): void {
  const end = (signal: NodeJS.Signals) => {
    io.release();
    // `process.exit` waits for threads, and one may hang in a system call
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  const interrupt = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) return end(signal);
    const graceMs = io.graceMs();
    if (graceMs > 0) io.warn("\nStopping: waiting for calls in flight. Interrupt again to stop right away.");
    stop.abort();
    // a person can press the keys again
    if (signal === "SIGINT" && graceMs > 0) return;
    const endLate = () => {
      io.warn(interrupted.message);
      end(signal);
    };
    setTimeout(endLate, Math.max(graceMs, momentMs)).unref();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  if (!io.isTerminal) return;
  // the terminal gets its cursor back however the process ends, and while Ctrl-Z stops it
  process.on("exit", () => io.release());
  if (process.platform === "win32") return;
  process.on("SIGTSTP", () => {
    io.release();
    process.kill(process.pid, "SIGSTOP");
  });
}

/** Prints Node's own errors and warnings the way we print everything else. */
function hearNode(io: OpenedIo): void {
  process.on("uncaughtException", (error) => process.exit(reportError(error, io, process.argv.slice(2))));
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", (warning: NodeJS.ErrnoException) => {
    // a config in a project without "type": it works, and the project's setup isn't our business
    if (warning.code === "MODULE_TYPELESS_PACKAGE_JSON") return;
    // the error that follows explains it, with a next step that works
    if (warning.message.startsWith("Failed to load the ES module: ")) return;
    io.warn(`${warning.name}: ${warning.message}`);
  });
}

const code = await main();
// idle connections would keep the process alive; everything of ours is written by now
process.stdout.write("", () => process.exit(code));
