import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../../src/ports.ts";
import { seededRandom } from "../../src/testing/index.ts";
import { readManifest, runWriter } from "./run-writer.ts";

/** A journal that a killed process left behind, and what had been promised by then. */
export interface Base {
  readonly dir: string;
  /** The database as it was in the middle of its life. */
  readonly older: string;
  readonly promised: readonly Entry[];
}

/** Journals with rows in the database and in its write-ahead log. */
export async function makeBases(root: string, seed: number, count: number): Promise<Base[]> {
  const bases: Base[] = [];
  for (let at = 0; at < count; at += 1) {
    const random = seededRandom(seed, "base", at);
    const home = join(root, `base-${at}`);
    mkdirSync(home);
    const [dir, manifest, older] = [join(home, "journal"), join(home, "manifest"), join(home, "older.db")];
    writeFileSync(manifest, "");
    const first = Math.floor(random() * 250);
    await runWriter({ dir, manifest, seed: `${seed} ${at} first`, rows: first });
    cpSync(join(dir, "journal.db"), older);
    // every other one is killed in the middle of its writing, and one is long enough for checkpoints on the way
    const rows = at === 0 ? 1500 : 40 + Math.floor(random() * 250);
    const killAt = at % 2 === 0 ? rows : Math.ceil(random() * rows);
    await runWriter({ dir, manifest, seed: `${seed} ${at} second`, rows, killAt });
    bases.push({ dir, older, promised: readManifest(manifest) });
  }
  return bases;
}
