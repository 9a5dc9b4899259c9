import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { singleFileSkill } from "../core/skill/skill.ts";
import { hiddenRuleWorld, startScriptedServer } from "../testing/index.ts";

await import("./index.ts");

const world = hiddenRuleWorld({ seed: 8, rules: 6, noise: 0.3, passWith: 1, passWithout: 0.1 });
const [poor, good] = [singleFileSkill(world.seedSkill(1)), singleFileSkill(world.seedSkill(6))];

test("a skill beats a poorer one, and a failure says why not", async () => {
  const server = await startScriptedServer({ seed: 8, world, record: false });
  onTestFinished(() => server.close());
  const dir = await tempDir({ "good.md": world.seedSkill(6) });
  const options = {
    tasks: world.splits({ train: 10, val: 10, test: 10 }),
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 2000 },
    journal: `${dir}/journal`,
  };
  await expect(`${dir}/good.md`).toBeat(poor, options);
  await expect(poor).not.toBeat(good, options);
  await expect(expect(poor).toBeat(good, options)).rejects.toThrow(
    /^expected the skill to beat the skill: the verdict is "worse"\.\nWorse: −\d.*\nMean scores .* on 30 tasks, 3 trials each\./,
  );
  await expect(expect(poor).toBeat(good, options)).rejects.toThrow(/\nnext: keep the earlier skill/);
  await expect(good).toBeNoWorseThan(poor, options);
  await expect(expect(poor).toBeNoWorseThan(good, options)).rejects.toThrow(
    /^expected the skill to be no worse than the skill: the verdict is "worse"\./,
  );
  await expect(expect(12).toBeat(good, options)).rejects.toThrow(
    "expect(…).toBeat needs a skill.\nnext: Give the path of a file",
  );
  const { train } = options.tasks;
  const few = { train: train.slice(0, 1), val: train.slice(1, 2), test: train.slice(2, 5) };
  await expect(expect(poor).toBeNoWorseThan(good, { ...options, tasks: few })).rejects.toThrow(
    "It takes 6 tasks to call a skill worse or better.",
  );
});
