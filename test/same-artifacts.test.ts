import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type TrainOptions, compare, evaluate, prune, train } from "../src/index.ts";
import { performNight } from "../src/sleep/night/perform-night.ts";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";
import { makeSleepProject } from "./support/commit-project.ts";
import { servedWorld } from "./support/commit-world.ts";
import { filesIn } from "./support/look-at-folder.ts";
import { tempDir } from "./support/temp-dir.ts";

/** What a machine, a clock or a port decides, and not the run. */
const passing =
  /"(?:ms|at|stagedAt|startedAt|endedAt|began|ended|seconds|wallMs)":\s*-?[\d.e+]+|127\.0\.0\.1:\d+|\b1[78]\d{11}\b|20\d\d-\d\d-\d\dT[\d:.]+Z/g;

/** One hash for each file that a run wrote, without those whose content is times, addresses and what is made of other files. */
function hashesIn(folder: string, place: string): Readonly<Record<string, string>> {
  const names = filesIn(folder).filter(
    (name) =>
      !/\.db(?:-\w+)?$|report\.(?:html|json)$|events\.jsonl$|(?:timing|pinned|project)\.json$|\.head$|\.lock$/.test(
        name,
      ),
  );
  return Object.fromEntries(
    names.map((name) => {
      const text = readFileSync(join(folder, name), "utf8")
        .replaceAll(place, "<place>")
        .replaceAll(passing, "<passing>");
      return [name, createHash("sha256").update(text).digest("hex").slice(0, 12)];
    }),
  );
}

const verbs: Readonly<Record<string, (options: TrainOptions) => Promise<{ readonly folder: string }>>> = {
  rules: (options) => train({ ...options, gate: "rules" }),
  strict: (options) => train({ ...options, gate: "strict" }),
  off: (options) => train({ ...options, gate: "off" }),
  eval: (options) => evaluate({ ...options, on: "val" }),
  compare: (options) =>
    compare({ ...options, baseline: { main: "SKILL.md", files: { "SKILL.md": "Answer.\n" } } }),
  prune,
};

test.each([1, 2])("with seed %i every verb writes the same bytes as before", async (seed) => {
  const world = hiddenRuleWorld({ seed, rules: 6, noise: 0.2 });
  const found: Record<string, Readonly<Record<string, string>>> = {};
  for (const [name, verb] of Object.entries(verbs)) {
    await using server = await startScriptedServer({ seed, world });
    const cwd = realpathSync(await tempDir());
    const { folder } = await verb({
      cwd,
      journal: join(cwd, "journal"),
      skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(3) } },
      tasks: world.splits({ train: 12, val: 12, test: 8 }),
      target: "office/target",
      optimizer: "office/optimizer",
      baseURL: `${server.url}/v1`,
      spend: { calls: 2000 },
      epochs: 1,
      batchSize: 6,
      seed,
    });
    found[name] = hashesIn(folder, cwd);
  }
  await expect(`${JSON.stringify(found, null, 2)}\n`).toMatchFileSnapshot(`results/artifacts-${seed}.json`);
});

test.each([1, 2])("with seed %i a night stages the same bytes as before", async (seed) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-05-05T05:05:05Z") });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  await using server = await startScriptedServer({ seed, world: servedWorld({ seed, judged: true }) });
  const place = realpathSync(await tempDir());
  const { path, home, config, journalDir } = await makeSleepProject({
    folder: place,
    conversations: 6,
    config: {
      target: "office/target",
      optimizer: "office/optimizer",
      judge: "office/judge",
      baseURL: `${server.url}/v1`,
      spend: { calls: 2000 },
    },
  });
  await performNight({ config, cwd: path, home, env: {} });
  const found = Object.fromEntries(
    [join(path, ".whetstone"), journalDir]
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => Object.entries(hashesIn(folder, place))),
  );
  await expect(`${JSON.stringify(found, null, 2)}\n`).toMatchFileSnapshot(`results/night-${seed}.json`);
});
