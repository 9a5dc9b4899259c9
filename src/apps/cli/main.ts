#!/usr/bin/env node
import { createRequire } from "node:module";
import { readEnv } from "../../config/env.ts";
import { spellOutJson } from "../../report/spell-out.ts";
import { toTerminal } from "./colors.ts";
import { guardStream } from "./guard-stream.ts";
import { reportError } from "./report-error.ts";
import type { Io } from "./io.ts";
import { createProgram } from "./program.ts";
import { openPrompt } from "./prompt.ts";
import { drawsUnicode } from "./glyphs.ts";
import { type Screen, openScreen } from "./screen.ts";
import { typedCommands } from "./typed-commands.ts";

let typed = (text: string): string => text;

/** The only place that touches arguments, standard output, signals and exit codes. */
async function main(): Promise<number> {
  const stop = new AbortController();
  let isWaiting = true;
  const io = openIo(stop, () => {
    isWaiting = false;
  });
  let stops = 0;
  const interrupt = () => {
    stops += 1;
    if (stops > 1) process.exit(130);
    if (isWaiting) io.warn("\nStopping: waiting for calls in flight. Once more stops at once.");
    stop.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  process.on("uncaughtException", (error) => process.exit(reportError(error, io, process.argv.slice(2))));
  // node itself would print them as they are
  if (process.listenerCount("warning") > 0)
    process
      .removeAllListeners("warning")
      .on("warning", ({ name, message }) => io.warn(`${name}: ${message}`));
  const { version } = createRequire(import.meta.url)("whetstone/package.json") as { version: string };
  try {
    const program = createProgram(io, version);
    typed = typedCommands(
      readEnv(),
      program.commands.map((command) => command.name()),
    );
    await program.parseAsync(process.argv);
    return 0;
  } catch (error) {
    return reportError(error, io, process.argv.slice(2));
  }
}

function openIo(stop: AbortController, stopAtOnce: () => void): Io {
  const { stdout, stderr } = process;
  const [write, writeError] = [guardStream(stdout), guardStream(stderr)];
  let broken = false;
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // whoever read our output has left: nobody to tell, nothing more to do
      if (error.code !== "EPIPE") throw error;
      broken = true;
      stop.abort();
    });
  }
  const env = readEnv();
  const isTerminal = stdout.isTTY && !env["CI"] && env["TERM"] !== "dumb";
  const screen = openScreen({
    get columns() {
      return stdout.columns;
    },
    write,
  });
  if (isTerminal) restoreCursor(screen);
  return {
    isTerminal,
    isUnicode: drawsUnicode(env, process.platform),
    get columns() {
      return stdout.columns ?? 100;
    },
    get rows() {
      return stdout.rows ?? 24;
    },
    get lineLimit() {
      return stdout.columns ?? Number.POSITIVE_INFINITY;
    },
    signal: stop.signal,
    stopAtOnce,
    cwd: process.cwd(),
    program: [process.execPath, ...process.argv.slice(1, 2)],
    ...(isTerminal && process.stdin.isTTY
      ? { prompt: openPrompt(stop.signal, env, (text) => write(toTerminal(text))) }
      : {}),
    print(text) {
      if (broken) return;
      screen.print(typed(text));
    },
    printJson(value) {
      if (!broken) screen.print(spellOutJson(value));
    },
    warn(text) {
      if (broken) return;
      // two streams, one screen: the drawn lines make room first
      screen.clear();
      writeError(toTerminal(`${typed(text)}\n`));
    },
    show(lines) {
      if (!broken && isTerminal) screen.show(lines);
    },
  };
}

/** However the process ends, and while it is stopped by Ctrl-Z, the terminal has its cursor. */
function restoreCursor(screen: Screen): void {
  process.on("exit", () => screen.release());
  if (process.platform === "win32") return;
  process.on("SIGTSTP", () => {
    screen.release();
    process.kill(process.pid, "SIGSTOP");
  });
}

const code = await main();
// idle connections would keep the process alive; everything of ours is written by now
process.stdout.write("", () => process.exit(code));
