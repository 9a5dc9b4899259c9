import type { Readable } from "node:stream";

/** All that a command may know of the terminal; only `main.ts` touches the process. It accepts unprintable text. */
export interface Io {
  /** Writes one line, or several, to standard output. */
  print(text: string): void;
  /** Writes a value as one line of JSON. */
  printJson(value: unknown): void;
  /** Like `print`, to standard error. */
  warn(text: string): void;
  /** Shows lines that the next `show` replaces; does nothing if standard output can't be redrawn. */
  show(lines: readonly string[]): void;
  /** Whether lines can be redrawn. */
  readonly isTerminal: boolean;
  /** Whether the terminal draws more than ASCII. */
  readonly isUnicode: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Columns after which a terminal would break a line; a log has no such limit. */
  readonly lineLimit: number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** How to ask whether calls are in flight. A stop waits for them, at most `graceMs` if nobody can press Ctrl-C again. */
  waitFor(calls: () => boolean, graceMs?: number): void;
  readonly cwd: string;
  /** The command that starts this program again: the words before its first argument. */
  readonly program: readonly string[];
  /** Asks the person at the terminal; missing if input or output isn't a terminal. */
  readonly prompt?: Prompter;
  /**
   * For a protocol: from now on standard output carries only what is printed here, and everything else written to it
   * goes to standard error. Returns standard input.
   */
  takeStreams(): Readable;
}

/** A conversation with the person at the terminal. */
export interface Prompter {
  /** One line of input; undefined if the person presses Ctrl-C or Ctrl-D. */
  ask(question: string): Promise<string | undefined>;
  /** The text as the person saves it in their editor. */
  edit(text: string): string;
}
