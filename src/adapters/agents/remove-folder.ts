import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a folder, even if its content was made unreadable. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await openUp(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

async function openUp(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openUp(join(folder, entry.name));
  }
}
