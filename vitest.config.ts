import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** These have a process of their own: they take longest, run servers, or look at which modules are loaded. */
const alone = [
  "test/**/*.test.ts",
  "src/**/*.long.test.ts",
  "src/adapters/{fleet,journals/postgres}/*.test.ts",
  "src/{adapters/load-peer,config/resolve/used-peers,run/session/worker-agents,sleep/night/perform-night,run/verbs/prune}.test.ts",
  "src/apps/cli/*.test.ts",
];

export default defineConfig({
  test: {
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
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["src/**/*.test.ts", "ui/**/*.test.ts"],
          exclude: [...alone, "**/node_modules/**"],
          // starting a process and importing again what others import is half of the time of most tests
          isolate: false,
        },
      },
    ],
  },
});
