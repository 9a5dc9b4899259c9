import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

/** What whoever started us left open, as shells, CI runners and editors do. */
export interface Strays {
  readonly folder: string;
  readonly secret: string;
}

const [folderAt, fileAt, socketAt, highFolderAt] = [40, 41, 200, 900];

export interface StrayOutcome<Result> {
  readonly result: Result;
  /** What was written to the socket. */
  readonly heard: string;
}

/**
 * Runs a program of ours in a process that has a folder, a file and a socket of the host open. It is told of them by its
 * first message, and answers with lines for the log and one result.
 */
export async function runWithStrays<Result>(
  program: string,
  log: (line: string) => void,
): Promise<StrayOutcome<Result>> {
  using room = temporaryDirectory("strays");
  const secret = `stray-${randomBytes(8).toString("hex")}`;
  writeFileSync(join(room.path, "secret.txt"), secret);
  const [folder, file] = [openSync(room.path, "r"), openSync(join(room.path, "secret.txt"), "a")];
  const open = new Map<number, "inherit" | "ipc" | "pipe" | number>([
    ...([0, 1, 2] as const).map((at) => [at, "inherit"] as const),
    [3, "ipc"],
    [folderAt, folder],
    [fileAt, file],
    [socketAt, "pipe"],
    [highFolderAt, folder],
  ]);
  const child = spawn(process.execPath, [program], {
    stdio: Array.from({ length: highFolderAt + 1 }, (_, at) => open.get(at) ?? "ignore"),
  });
  for (const one of [folder, file]) closeSync(one);
  let heard = "";
  const socket = (child.stdio as readonly unknown[])[socketAt] as Duplex;
  socket.on("data", (piece: Buffer) => (heard += String(piece))).on("error", () => {});
  const answers: Result[] = [];
  child.on("message", (message: { readonly log?: string; readonly result?: Result }) => {
    if (message.log !== undefined) log(message.log);
    if (message.result !== undefined) answers.push(message.result);
  });
  child.send({ folder: room.path, secret } satisfies Strays);
  await new Promise((resolve) => child.once("close", resolve));
  const [result] = answers;
  if (result === undefined) throw new Error("The process with open descriptors ended without a result.");
  return { result, heard };
}

/** Reads and writes through every one of them; `word` is what it leaves behind. */
export const useStrays = (word: string): string => `
  cat /proc/self/fd/*/secret.txt /proc/self/fd/*/../*/secret.txt
  perl -e 'for my $n (3 .. 1000) { open(my $f, "+<&=", $n) or next; syswrite($f, "${word} ") }
    for my $n (${folderAt}, ${highFolderAt}) { open(my $f, ">", "/proc/self/fd/$n/${word}") and print $f "x" }'`;

/** What such a script left in the folder or in the file. */
export const isMarked = ({ folder }: Strays, word: string): boolean =>
  readdirSync(folder).includes(word) || readFileSync(join(folder, "secret.txt"), "utf8").includes(word);
