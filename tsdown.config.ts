import { readFileSync } from "node:fs";
import { type Rolldown, defineConfig } from "tsdown";
import { minifySync } from "vite";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    ports: "src/ports.ts",
    method: "src/method.ts",
    rule: "src/rule.ts",
    testing: "src/testing/index.ts",
    vitest: "src/vitest/index.ts",
    cli: "src/apps/cli/start.ts",
    "scoring-thread": "src/adapters/scoring/scoring-thread.ts",
  },
  format: "esm",
  platform: "node",
  target: "node22.18",
  dts: true,
  clean: true,
  copy: ["src/config/config.schema.json", "src/core/rules/rule.schema.json"],
  treeshake: {
    moduleSideEffects: [
      // packages of types that no public type needs are not asked for
      { external: true, sideEffects: false },
      // the command itself
      { test: /\/apps\/cli\/main\.ts$/, sideEffects: true },
    ],
  },
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
  plugins: [bundledPackages()],
});

/** Devdependencies that our code imports become part of it: each has its license text, and what is all theirs is made small. */
function bundledPackages(): Rolldown.Plugin {
  const notices = readFileSync("THIRD-PARTY-NOTICES.md", "utf8");
  return {
    name: "bundled-packages",
    renderChunk(code, { moduleIds, fileName }) {
      const theirs = moduleIds.filter((id) => id.includes("/node_modules/"));
      for (const [, name] of theirs.join("\n").matchAll(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/g))
        if (!notices.includes(`\n## ${name} `))
          throw new Error(`${name} is bundled, and THIRD-PARTY-NOTICES.md has no section for it`);
      if (fileName.endsWith(".js") && theirs.length > moduleIds.length / 2)
        return minifySync(fileName, code).code;
      return null;
    },
  };
}
