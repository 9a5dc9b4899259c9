import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "ui/**/*.test.ts"],
    // by default one processor is left alone, which of two is half
    maxWorkers: "100%",
    setupFiles: ["test/support/person.ts"],
    // a busy machine is no fault: only what hangs runs into these
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    env: {
      // what commands remember of a folder is the person's own, and no test's
      XDG_STATE_HOME: mkdtempSync(join(tmpdir(), "whetstone-state-")),
      // of the coordinators and workers that tests start
      WHETSTONE_FLEET_SECRET: "what coordinators and workers of tests know",
    },
  },
});
