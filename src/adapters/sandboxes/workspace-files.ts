import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WhetstoneError } from "../../core/errors.ts";
import { decodeFile, type Files } from "../../core/files.ts";

/** Writes files inside a folder and never outside it: no absolute paths, no `..`, nothing through a link. */
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

/** Applies changes to a folder's content, whatever is in the way. Executable files stay executable. */
export async function overlayFiles(
  folder: string,
  files: Files,
  deleted: readonly string[] = [],
): Promise<void> {
  const root = await realpath(folder);
  for (const path of deleted) {
    if (await isBelowFolders(root, checkPath(path)))
      await rm(join(root, path), { recursive: true, force: true });
  }
  const executable: string[] = [];
  for (const path of Object.keys(files)) {
    const facts = await makeRoom(root, checkPath(path));
    if (facts !== undefined && (facts.mode & 0o111) !== 0) executable.push(path);
  }
  await writeFiles(root, files, executable);
}

function checkPath(path: string): string {
  const parts = path.split("/");
  const bad = parts.some((part) => part === "" || part === "." || part === "..");
  if (bad || /^[A-Za-z]:|[\\\0]/.test(path)) throw outside(path);
  return path;
}

const outside = (path: string): WhetstoneError =>
  new WhetstoneError("tasks-invalid", `The file path ${JSON.stringify(path)} leads outside its folder.`, {
    hint: "Write it relative to the workspace, with forward slashes and without `..`.",
  });

/** Removes anything above the path that isn't a folder, and anything at the path that isn't a file. */
async function makeRoom(root: string, path: string): Promise<Stats | undefined> {
  const parts = path.split("/");
  for (const at of parts.keys()) {
    const place = join(root, ...parts.slice(0, at + 1));
    const facts = await lstat(place).catch(() => undefined);
    if (facts === undefined) return undefined;
    const isLast = at === parts.length - 1;
    if (isLast && facts.isFile()) return facts;
    if (isLast || !facts.isDirectory()) {
      await rm(place, { recursive: true });
      return undefined;
    }
  }
  return undefined;
}

/** Whether the path goes only through folders and no links. */
async function isBelowFolders(root: string, path: string): Promise<boolean> {
  const parent = dirname(join(root, path));
  return (await realpath(parent).catch(() => undefined)) === parent;
}
