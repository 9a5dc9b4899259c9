import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { guardImports, noteOwnFiles } from "./guard-imports.ts";
import { isInstalledIn } from "./own-files.ts";

const root = join(import.meta.dirname, "../../..");

test("our own files are hashed like any others where the project has them, and nowhere else", async () => {
  const elsewhere = await tempDir();
  const guard = guardImports();
  try {
    noteOwnFiles(elsewhere);
    expect(guard.files.size).toBe(0);
    noteOwnFiles(root);
    for (const path of ["src/config/trust/own-files.ts", "node_modules/zod/package.json"])
      expect(guard.files.get(join(root, path)), path).toMatch(/^[\da-f]{64}$/);
  } finally {
    guard.release();
  }
  expect([isInstalledIn(root), isInstalledIn(elsewhere)]).toEqual([true, false]);
});
