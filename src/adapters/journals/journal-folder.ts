import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** For its owner alone, and for no repository. */
export function makeJournalFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (!existsSync(join(dir, ".gitignore"))) writeFileSync(join(dir, ".gitignore"), "*\n");
}
