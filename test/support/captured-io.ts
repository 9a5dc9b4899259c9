import { Readable } from "node:stream";
import { spellOutJson } from "../../src/report/spell-out.ts";
import type { Io } from "../../src/show/io.ts";

/** A terminal of 80×24 that nobody looks at: what a command prints is kept. */
export function capturedIo(cwd: string): { readonly io: Io; readonly text: () => string } {
  const lines: string[] = [];
  const io: Io = {
    print: (text) => lines.push(text),
    printJson: (value) => lines.push(spellOutJson(value)),
    warn: (text) => lines.push(text),
    show: () => {},
    isTerminal: false,
    isUnicode: true,
    columns: 80,
    rows: 24,
    lineLimit: 80,
    signal: new AbortController().signal,
    waitFor: () => {},
    cwd,
    program: ["whetstone"],
    takeStreams: () => Readable.from([]),
  };
  return { io, text: () => lines.join("\n") };
}
