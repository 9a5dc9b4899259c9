import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../src/index.ts";
import { hiddenRuleWorld } from "../../src/testing/index.ts";
import { scriptedConfig } from "./scripted-config.ts";

export const killSeed = 20_260;

/** The world of the run that gets killed: small, noisy, and with something to learn. */
export const killWorld = hiddenRuleWorld({ seed: killSeed, rules: 6 });

export const killSplits = killWorld.splits({ train: 24, val: 18, test: 18 });

export const killSkill = killWorld.seedSkill(1);

export const killSettings = { epochs: 2, batchSize: 12, minibatchSize: 4, seed: killSeed } as const;

/** About 200 calls: 4 steps with rollouts, analysts, merges and a gate, and two test evaluations. */
export const killConfig = (url: string): Config => ({
  ...scriptedConfig(url, killSkill, killSplits),
  ...killSettings,
  concurrency: 16,
});

/** What says when things happened is no part of the export. */
const timed: ReadonlySet<string> = new Set(["timing.json", "report.json", "report.html"]);

/** Every exported file by its path. */
export function readExport(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !timed.has(path.slice(folder.length + 1)));
  return new Map(
    files.toSorted().map((path) => [path.slice(folder.length + 1), readFileSync(path, "latin1")]),
  );
}

/** What differs between two exports, in words; nothing when they are the same, byte for byte. */
export function compareExports(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): readonly string[] {
  const paths = new Set([...expected.keys(), ...found.keys()]);
  return [...paths].flatMap((path) => {
    if (!found.has(path)) return [`${path} is missing`];
    if (!expected.has(path)) return [`${path} should not be there`];
    return expected.get(path) === found.get(path) ? [] : [`${path} differs`];
  });
}
