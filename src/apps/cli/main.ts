#!/usr/bin/env node
import { createRequire } from "node:module";
import { readEnv } from "../../config/env.ts";
import { reportError } from "./report-error.ts";
import type { Io } from "./io.ts";
import { createProgram } from "./program.ts";

/** The only place that touches arguments, standard output, signals and exit codes. */
async function main(): Promise<number> {
  const stop = new AbortController();
  const io = openIo(stop);
  let stops = 0;
  const interrupt = () => {
    stops += 1;
    if (stops > 1) process.exit(130);
    io.warn("\nStopping: waiting for calls in flight. Once more stops at once.");
    stop.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  const { version } = createRequire(import.meta.url)("whetstone/package.json") as { version: string };
  try {
    await createProgram(io, version).parseAsync(process.argv);
    return 0;
  } catch (error) {
    return reportError(error, io);
  }
}

function openIo(stop: AbortController): Io {
  const { stdout, stderr } = process;
  let drawn = 0;
  let broken = false;
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // whoever read our output has left: nobody to tell, nothing more to do
      if (error.code !== "EPIPE") throw error;
      broken = true;
      stop.abort();
    });
  }
  const isTerminal = stdout.isTTY && !readEnv()["CI"];
  const erase = () => {
    if (drawn > 0) stdout.write(`\u001B[${drawn}A\u001B[0J`);
    drawn = 0;
  };
  return {
    isTerminal,
    get columns() {
      return stdout.columns ?? 100;
    },
    signal: stop.signal,
    cwd: process.cwd(),
    print(text) {
      if (broken) return;
      erase();
      stdout.write(`${text}\n`);
    },
    warn(text) {
      if (broken) return;
      erase();
      stderr.write(`${text}\n`);
    },
    show(lines) {
      if (broken || !isTerminal) return;
      erase();
      if (lines.length > 0) stdout.write(`${lines.join("\n")}\n`);
      drawn = lines.length;
    },
  };
}

const code = await main();
// idle connections would keep the process alive; everything of ours is written by now
process.stdout.write("", () => process.exit(code));
