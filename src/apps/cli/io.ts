/** All that a command may know of the terminal; `main.ts` alone touches the process. */
export interface Io {
  /** Writes one line, or several, to standard output. */
  print(text: string): void;
  /** The same to standard error. */
  warn(text: string): void;
  /** Shows lines that the next `show` replaces; nothing when standard output is not a terminal. */
  show(lines: readonly string[]): void;
  /** Whether lines can be redrawn. */
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly cwd: string;
}
