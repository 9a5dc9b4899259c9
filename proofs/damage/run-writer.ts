import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../../src/ports.ts";

export interface WriterOptions {
  readonly dir: string;
  readonly manifest: string;
  readonly seed: string;
  readonly rows: number;
  /** Killed with SIGKILL once it has reported so many rows; left out, it closes its journal. */
  readonly killAt?: number;
  /** The largest file it may write, in blocks of the shell. */
  readonly fileBlocks?: number;
}

/** Runs a process that writes a journal; gives the code of the error that it met, if any. */
export async function runWriter(options: WriterOptions): Promise<string | undefined> {
  const child = startWriter(options);
  let error: string | undefined;
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const lines = output.split("\n");
    output = lines.pop() ?? "";
    for (const line of lines) {
      const [word, value] = line.split(" ");
      if (word === "error") error = value;
      if (word === "rows" && Number(value) >= (options.killAt ?? Infinity)) child.kill("SIGKILL");
    }
  });
  await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  return error;
}

/** What the writer was promised, entry by entry. */
export function readManifest(file: string): Entry[] {
  // the kill may have torn the last line, which is the manifest's loss and not the journal's
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line): Entry => JSON.parse(line));
}

function startWriter({ dir, manifest, seed, rows, killAt, fileBlocks }: WriterOptions): ChildProcess {
  const script = join(import.meta.dirname, "write-journal.ts");
  const command = [
    process.execPath,
    script,
    dir,
    manifest,
    seed,
    String(rows),
    killAt === undefined ? "close" : "hold",
  ];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  if (fileBlocks === undefined) return spawn(process.execPath, command.slice(1), { stdio: [...stdio] });
  return spawn("sh", ["-c", `ulimit -f ${fileBlocks} && exec "$@"`, "sh", ...command], { stdio: [...stdio] });
}
