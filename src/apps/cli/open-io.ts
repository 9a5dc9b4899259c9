import type { Readable } from "node:stream";
import { spellOutJson } from "../../report/spell-out.ts";
import { toTerminal } from "../../show/format.ts";
import { drawsUnicode } from "../../show/glyphs.ts";
import { type Outlet, guardStream } from "./guard-stream.ts";
import type { Io } from "../../show/io.ts";
import { openPrompt } from "./prompt.ts";
import { openScreen } from "../../show/screen.ts";

/** The part of `process.stdout` that we use: a stream to a terminal, a file or a pipe. */
export interface OutStream extends Outlet {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  on(event: "error", heard: (error: NodeJS.ErrnoException) => void): unknown;
}

export interface IoSettings {
  readonly stdin: Readable;
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  /** Whether somebody can answer. */
  readonly isAnswered: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly program: readonly string[];
  readonly stop: AbortController;
  /** How to type our own commands here. */
  readonly typed: (text: string) => string;
}

export interface OpenedIo extends Io {
  /** How long to wait for calls in flight; zero if there are none. */
  graceMs(): number;
  /** Leaves the drawn lines and gives the cursor back. */
  release(): void;
}

/** Both streams of a process. Only our own lines and colours can control the terminal through them. */
export function openIo({ stdin, stdout, stderr, stop, env, typed, ...plan }: IoSettings): OpenedIo {
  let isTaken = false;
  const writeError = guardStream(stderr);
  const write = guardStream(stdout, () => (isTaken ? stderr : undefined));
  let broken = false;
  let graceMs = (): number => 0;
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error) => {
      // the reader of our output is gone, so there's nothing left to do
      if (error.code !== "EPIPE") throw error;
      broken = true;
      stop.abort();
    });
  }
  const isTerminal = stdout.isTTY === true && !env["CI"] && env["TERM"] !== "dumb";
  const screen = openScreen({
    get columns() {
      return stdout.columns ?? 100;
    },
    write,
  });
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
    waitFor(calls, ms = 10_000) {
      graceMs = () => (calls() ? ms : 0);
    },
    graceMs: () => graceMs(),
    cwd: plan.cwd,
    program: plan.program,
    ...(isTerminal && plan.isAnswered
      ? { prompt: openPrompt(stop.signal, env, (text) => write(toTerminal(text))) }
      : {}),
    print(text) {
      if (!broken) screen.print(typed(text));
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
    takeStreams() {
      isTaken = true;
      return stdin;
    },
    release: () => screen.release(),
  };
}
