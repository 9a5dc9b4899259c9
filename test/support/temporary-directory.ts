import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryDirectory extends Disposable {
  readonly path: string;
}

/** A folder of its own for a journal and artifacts, gone at the end of the block. */
export function temporaryDirectory(name: string): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), `whetstone-${name}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
