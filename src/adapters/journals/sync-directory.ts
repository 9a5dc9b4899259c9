import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes created and renamed names durable. Windows has no such call and needs none. */
export function syncDirectory(dir: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
