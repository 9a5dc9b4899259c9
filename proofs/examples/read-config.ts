import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../src/index.ts";

/** The config of an example, as it stands in its folder. */
export async function readConfig(place: string): Promise<Config> {
  const json = join(place, "whetstone.config.json");
  if (existsSync(json)) return JSON.parse(readFileSync(json, "utf8")) as Config;
  return ((await import(join(place, "whetstone.config.ts"))) as { readonly default: Config }).default;
}

/** The folders of examples that have a config; `benchmarks` and `plugin-eval` are used in other ways. */
export function exampleProjects(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) =>
      ["ts", "json"].some((extension) => existsSync(join(folder, name, `whetstone.config.${extension}`))),
    )
    .toSorted();
}
