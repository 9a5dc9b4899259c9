import { expect, onTestFinished, test } from "vitest";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { skillHash } from "../../core/skill/hash.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { readMeasuredNoise } from "../session/measured-noise.ts";
import { measureNoise } from "./noise.ts";

async function office(noise: number) {
  const world = hiddenRuleWorld({ seed: 7, rules: 6, noise });
  const server = await startScriptedServer({ seed: 7, world, record: false });
  onTestFinished(() => server.close());
  const journal = await tempDir();
  const text = world.seedSkill(3);
  const options = {
    skill: singleFileSkill(text),
    tasks: world.splits({ train: 4, val: 30, test: 4 }),
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 2000 },
    trials: 2,
    journal,
  } as const;
  return { server, options, journal, text };
}

test("a noisy target flips, and does not fool the exact test", async () => {
  const { server, options, journal, text } = await office(1);
  const first = await measureNoise(options);
  const { flipRate, p, pWorse, claim, unsteady } = first.summary;
  expect(flipRate).toBeGreaterThan(0.15);
  expect(flipRate).toBeLessThan(0.45);
  expect(unsteady).toBeGreaterThan(0.3);
  expect(Math.min(p, pWorse)).toBeGreaterThan(0.01);
  expect(claim).toMatchObject({ tasks: 30, trials: 2, flipRate });
  expect(server.callCount).toBe(1 + 2 * 30 * 2);

  const again = await measureNoise(options);
  expect(again).toMatchObject({ finishedBefore: true, summary: first.summary });
  expect(server.callCount).toBe(121);

  const opened = await sqliteJournal({ dir: journal, readOnly: true });
  onTestFinished(() => opened.close());
  expect(await readMeasuredNoise(opened, skillHash(text), "office/target")).toMatchObject({ flipRate });
  expect(await readMeasuredNoise(opened, skillHash(text), "office/other")).toBeUndefined();
});

test("a target without noise never flips", async () => {
  const { options } = await office(0);
  const { summary } = await measureNoise(options);
  expect(summary).toMatchObject({ flipRate: 0, unsteady: 0 });
});
