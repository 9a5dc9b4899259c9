import type { Readable } from "node:stream";

/** All that a command may know of the terminal; `main.ts` alone touches the process. What is given to it need not be printable. */
export interface Io {
  /** Writes one line, or several, to standard output. */
  print(text: string): void;
  /** Writes a value as one line of JSON. */
  printJson(value: unknown): void;
  /** As `print`, to standard error. */
  warn(text: string): void;
  /** Shows lines that the next `show` replaces; nothing when standard output cannot be redrawn. */
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
  /** How to ask whether calls are in flight, which a stop waits for, and how long it does when no person can hurry it. */
  waitFor(calls: () => boolean, graceMs?: number): void;
  readonly cwd: string;
  /** How this program is started again: the words before its first argument. */
  readonly program: readonly string[];
  /** Asks whoever sits there; missing when input or output is no terminal. */
  readonly prompt?: Prompter;
  /**
   * For a protocol: from now on standard output carries what is printed here alone, and what anybody else writes to it
   * goes to standard error. Gives standard input.
   */
  takeStreams(): Readable;
}

/** A conversation with whoever sits at the terminal. */
export interface Prompter {
  /** One line of theirs; undefined when they end it with Ctrl-C or Ctrl-D. */
  ask(question: string): Promise<string | undefined>;
  /** The text as they leave it in their editor. */
  edit(text: string): string;
}
