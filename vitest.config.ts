import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "ui/**/*.test.ts"],
    testTimeout: 20_000,
    // what commands remember of a folder is the person's own, and no test's
    env: { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), "whetstone-state-")) },
  },
});
