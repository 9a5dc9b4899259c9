import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes created and renamed files durable. Windows has no such call and doesn't need one. */
export function syncDirectory(dir: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
