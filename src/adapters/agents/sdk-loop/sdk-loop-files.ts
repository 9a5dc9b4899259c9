import { readdir, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { openPlainFile } from "../../read-plain-file.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { encodeFile, isBinary } from "../../../core/files.ts";

/** Reads a text file below a folder. A link is followed only when it stays below; what is thrown is for the model. */
export async function readWithin(folder: string, path: string): Promise<string> {
  const file = await openPlainFile(await resolveWithin(folder, path), { follow: false }).catch((error) => {
    throw error instanceof WhetstoneError ? new Error(`${path} is not a file.`) : error;
  });
  try {
    const facts = await file.stat();
    if (facts.size > maxBytes) throw new Error(`${path} has more than ${maxBytes / 1024} kB.`);
    const text = encodeFile(await file.readFile());
    if (isBinary(text)) throw new Error(`${path} is not a text file.`);
    return text;
  } finally {
    await file.close();
  }
}

/** The files below a folder, at most 1,000, hidden folders of version control left out. */
export async function listWithin(folder: string, path: string): Promise<readonly string[]> {
  const root = await resolveWithin(folder, path);
  const found: string[] = [];
  const folders = [root];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const full = join(next, entry.name);
      if (entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules") folders.push(full);
      if (entry.isFile()) found.push(relative(root, full));
      if (found.length >= maxListed) return found.toSorted();
    }
  }
  return found.toSorted();
}

async function resolveWithin(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  const wanted = resolve(root, path);
  if (!isWithin(root, wanted)) throw outside(path);
  const real = await realpath(wanted).catch(() => {
    throw new Error(`There is no ${path}.`);
  });
  if (!isWithin(root, real)) throw outside(path);
  return real;
}

const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(root + sep);

const outside = (path: string): Error => new Error(`${path} is outside the workspace.`);

const maxBytes = 1024 * 1024;
const maxListed = 1000;
