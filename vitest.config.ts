import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "ui/**/*.test.ts"],
    testTimeout: 20_000,
    // of the coordinators and workers that tests start
    env: { WHETSTONE_FLEET_SECRET: "what coordinators and workers of tests know" },
  },
});
