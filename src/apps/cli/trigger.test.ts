import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../test/support/type-whetstone.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { triggerWorld } from "../../../test/support/trigger-world.ts";

const world = triggerWorld({ seed: 6, proposals: { useful: 1, useless: 0, harmful: 0 } });

/** A project folder with a skill, its neighbours and trigger tasks, and a server that plays both models. */
async function openOffice() {
  const server = await startScriptedServer({ seed: 6, world });
  onTestFinished(() => server.close());
  const installed = Object.entries({ ...world.neighbours, "parcel-customs": world.skill() });
  const dir = await tempDir({
    ...Object.fromEntries(installed.map(([name, text]) => [`${name}/SKILL.md`, text])),
    "triggers.json": JSON.stringify(world.tasks(72)),
  });
  const shared = ["--target", "office/target", "--spend-calls", "5000"];
  const flags = [...shared, "--base-url", `${server.url}/v1`, "--tasks", "triggers.json"];
  return { dir, flags };
}

test("train --track description prints precision and recall, and what it proposes can be adopted", async () => {
  const { dir, flags } = await openOffice();
  const small = ["--split", "1:1:1", "--epochs", "4", "--batch-size", "12", "--trials", "1"];
  const beside = Object.keys(world.neighbours).flatMap((name) => ["--neighbours", name]);
  const track = ["--track", "description", "--seed", "2", ...beside];
  const optimizer = ["--optimizer", "office/optimizer"];
  const trained = await typeWhetstone(dir, [
    "train",
    "parcel-customs",
    ...track,
    ...optimizer,
    ...flags,
    ...small,
  ]);
  expect(trained.err).not.toContain("neighbours: none");
  expect(trained.code).toBe(0);
  expect(trained.out).toMatch(/test: precision .*% \(\d+ of \d+, .* to .*\) → .*%.*, recall .* → .*%/);
  expect(trained.out).toMatch(/val: precision/);
  const run = /whetstone adopt (\w+)/.exec(trained.out)?.[1] ?? "";
  const diff = await typeWhetstone(dir, ["diff", run]);
  expect(diff.out).toMatch(/^\+description: /m);
  expect(diff.out.match(/^[+-](?![+-])/gm)).toHaveLength(2);
  await typeWhetstone(dir, ["adopt", run, "--unproven"]);
  const measured = await typeWhetstone(dir, ["eval", "parcel-customs", ...track, ...flags, "--on", "val"]);
  expect(measured.out).toMatch(/val: precision .* recall/);
  const live = await readFile(join(dir, "parcel-customs/SKILL.md"), "utf8");
  expect(live).not.toBe(world.skill());
  expect(live.replace(/^description: .*\n/m, "")).toBe(world.skill().replace(/^description: .*\n/m, ""));
});
