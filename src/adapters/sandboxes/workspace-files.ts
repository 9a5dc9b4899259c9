import { constants } from "node:fs";
import { mkdir, open, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import { decodeFile, encodeFile, type Files } from "../../core/files.ts";

/** Writes files below a folder, and never outside it: no absolute path, no `..`, nothing through a link. */
export async function writeFiles(
  folder: string,
  files: Files,
  executable: readonly string[] = [],
): Promise<void> {
  const root = await realpath(folder);
  const modes = new Set(executable);
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, checkPath(path));
    const parent = dirname(target);
    await mkdir(parent, { recursive: true });
    if ((await realpath(parent)) !== parent) throw outside(path);
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    const mode = modes.has(path) ? 0o755 : 0o644;
    const file = await open(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode);
    try {
      await file.writeFile(decodeFile(content));
      await file.chmod(mode);
    } finally {
      await file.close();
    }
  }
}

/** What a program did to a folder. */
export interface Changes {
  /** Files that are new or different, with their content, and files that are gone (null). */
  readonly changed: Readonly<Record<string, string | null>>;
  /** Changed too, but beyond the bounds. */
  readonly leftOut: readonly string[];
}

/** Compares a folder with what was written into it. Links are never followed: a file that became one is gone. */
export async function readChanges(folder: string, before: Files): Promise<Changes> {
  const changed: Record<string, string | null> = {};
  const leftOut: string[] = [];
  const present = new Set<string>();
  let [count, total] = [0, 0];
  for (const path of (await listFiles(folder)).toSorted()) {
    const bytes = await readPlainFile(join(folder, path));
    if (bytes === undefined) continue;
    present.add(path);
    if (bytes !== "too large") {
      const content = encodeFile(bytes);
      if (before[path] === content) continue;
      if (count < maxFiles && total + bytes.length <= maxTotal) {
        count += 1;
        total += bytes.length;
        changed[path] = content;
        continue;
      }
    }
    leftOut.push(path);
  }
  for (const path of Object.keys(before)) {
    if (!present.has(path) && !isIgnored(path)) changed[path] = null;
  }
  return { changed, leftOut: leftOut.slice(0, maxFiles) };
}

const maxFiles = 200;
const maxBytes = 256 * 1024;
const maxTotal = 4 * 1024 * 1024;

/** What tools leave behind by themselves. */
const ignoredFolders: ReadonlySet<string> = new Set(["node_modules", ".git", "__pycache__"]);

const isIgnored = (path: string): boolean => path.split("/").some((part) => ignoredFolders.has(part));

function checkPath(path: string): string {
  const parts = path.split("/");
  const bad = parts.some((part) => part === "" || part === "." || part === "..");
  if (bad || /^[A-Za-z]:|[\\\0]/.test(path)) throw outside(path);
  return path;
}

const outside = (path: string): WhetstoneError =>
  new WhetstoneError("tasks-invalid", `The file path ${JSON.stringify(path)} leads out of its folder.`, {
    hint: "Write it relative to the workspace, with forward slashes and without `..`.",
  });

async function listFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !ignoredFolders.has(entry.name)) folders.push(path);
      if (entry.isFile()) found.push(path);
      // beyond this nobody looks at them one by one, and a flood of names must not fill our memory
      if (found.length >= maxListed) return found;
    }
  }
  return found;
}

const maxListed = 100_000;

async function readPlainFile(path: string): Promise<Uint8Array | "too large" | undefined> {
  // not blocking: what was a file when it was listed could be a pipe now
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (file === undefined) return undefined;
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return undefined;
    return facts.size > maxBytes ? "too large" : await file.readFile();
  } finally {
    await file.close();
  }
}
