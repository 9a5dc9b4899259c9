import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openTerminal } from "../../test/support/tmux.ts";
import type { Frame } from "./draw-terminal.ts";

export const size = { columns: 120, rows: 40 };

const cli = join(import.meta.dirname, "../../src/apps/cli/main.ts");
/** Frames between the first and the last, and how long each is seen. */
const between = 14;
const seconds = { first: 1.5, between: 0.7, last: 8 };

/** Runs `whetstone demo` in a terminal in `folder` and keeps what was to be seen of it. */
export async function watchDemo(folder: string): Promise<readonly Frame[]> {
  const programs = join(folder, "bin");
  mkdirSync(programs);
  // the words that a person types, for the program as it is here
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${cli}" "$@"\n`;
  writeFileSync(join(programs, "npx"), npx);
  chmodSync(join(programs, "npx"), 0o755);
  const env = {
    PATH: `${programs}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    LANG: "C.UTF-8",
    TERM: "tmux-256color",
  };
  await using terminal = await openTerminal({ ...size, cwd: folder, env });
  const screen = async () => (await terminal.tmux("capture-pane", "-e", "-p")).split("\n");
  await terminal.type("clear; PS1='$ '");
  await sleep(500);
  await terminal.type("npx whetstone demo");
  const screens: (readonly string[])[] = [];
  for (;;) {
    const lines = await screen();
    if (screens.at(-1)?.join("\n") !== lines.join("\n")) screens.push(lines);
    if (lines.some((line) => line.includes("your own skill:"))) break;
    await sleep(100);
  }
  await sleep(500);
  // what follows the last word is the shell's
  const end = (await screen()).join("\n").trimEnd().replace(/\n\$$/, "").split("\n");
  const step = screens.length / (between + 1);
  const picked = Array.from({ length: between }, (_, at) => screens[Math.floor((at + 1) * step)] ?? end);
  return [
    { lines: screens[0] ?? [], seconds: seconds.first },
    ...picked.map((lines) => ({ lines, seconds: seconds.between })),
    { lines: end, seconds: seconds.last },
  ];
}
