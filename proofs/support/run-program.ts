import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ProgramPlace {
  readonly cwd: string;
  /** All that it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** @default four minutes */
  readonly mostMs?: number;
}

/** Runs a program to its end, or for so long. */
export function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, mostMs = 240_000 }: ProgramPlace,
): Promise<{ readonly code: number; readonly printed: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: mostMs });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", ({ message }) => resolve({ code: -1, printed: message }));
    child.on("close", (code) => resolve({ code: code ?? -1, printed: Buffer.concat(chunks).toString() }));
  });
}

/** The CLI as a program in `bin` below a home; gives a PATH that finds it. */
export function whetstoneOnPath(home: string): string {
  const file = join(home, "bin/whetstone");
  mkdirSync(join(home, "bin"), { recursive: true });
  const cli = join(import.meta.dirname, "../../src/apps/cli/main.ts");
  writeFileSync(file, `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`);
  chmodSync(file, 0o755);
  return `${join(home, "bin")}:${process.env["PATH"] ?? ""}`;
}
