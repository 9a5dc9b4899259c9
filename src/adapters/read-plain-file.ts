import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { WhetstoneError } from "../core/errors.ts";

/** The whole content of a file that somebody named. */
export async function readPlainFile(path: string): Promise<Buffer> {
  const file = await openPlainFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

export const readPlainText = async (path: string): Promise<string> => (await readPlainFile(path)).toString();

/** Opens without waiting: a pipe that nobody writes to would block one of our threads forever. */
export async function openPlainFile(
  path: string,
  { follow = true }: { readonly follow?: boolean } = {},
): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
  const facts = await file.stat();
  if (facts.isFile()) return file;
  await file.close();
  throw notAFile(path, facts);
}

export function notAFile(path: string, facts: Stats): WhetstoneError {
  const kind = facts.isDirectory() ? "a folder" : facts.isFIFO() ? "a pipe" : "a device or a socket";
  return new WhetstoneError("not-found", `${path} is ${kind}, not a file.`, {
    hint: "Name a file. You can write a command's output to a file first.",
  });
}
