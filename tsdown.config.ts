import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    ports: "src/ports.ts",
    method: "src/method.ts",
    testing: "src/testing/index.ts",
    vitest: "src/vitest/index.ts",
    cli: "src/apps/cli/main.ts",
    "scoring-thread": "src/adapters/scoring/scoring-thread.ts",
  },
  format: "esm",
  platform: "node",
  target: "node22.18",
  dts: true,
  clean: true,
  // packages of types that no public type needs are not asked for
  treeshake: { moduleSideEffects: "no-external" },
  copy: ["src/config/config.schema.json"],
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
});
