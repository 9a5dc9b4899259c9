import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../test/support/type-whetstone.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";

test("a one-shot rewrite that did better is the first line of a result, and is shown, adopted and undone as printed", async () => {
  const shape = { rules: 6, passWith: 1, passWithout: 0, noise: 0, useful: 0, useless: 1, harmful: 0 };
  const world = hiddenRuleWorld({ seed: 5, ...shape });
  const oneShot = { text: JSON.stringify({ reasoning: "", new_skill: world.seedSkill(6) }) };
  const server = await startScriptedServer({
    seed: 5,
    world: {
      reply: (request) => (request.system.includes("Contract: one_shot") ? oneShot : world.reply(request)),
    },
  });
  onTestFinished(() => server.close());
  const { train, val, test: sealed } = world.splits({ train: 12, val: 6, test: 12 });
  const dir = await tempDir({
    "SKILL.md": world.seedSkill(1),
    "tasks/train.json": JSON.stringify(train),
    "tasks/val.json": JSON.stringify(val),
    "tasks/test.json": JSON.stringify(sealed),
    "whetstone.config.json": JSON.stringify({
      target: "office/target",
      optimizer: "office/optimizer",
      baseURL: `${server.url}/v1`,
      spend: { calls: 2000 },
      epochs: 1,
      trials: 1,
    }),
  });
  const whetstone = async (...args: readonly string[]) => {
    const { code, out, err } = await typeWhetstone(dir, args);
    return `${out}${err}exit ${code}`;
  };
  const live = () => readFileSync(join(dir, "SKILL.md"), "utf8");

  const said =
    /\n\nOne-shot rewrite: 100\.0% on test \(12 of 12\), the original 16\.7%\. It was tried\nonce per task, so it's not proven\.\n {2}Adopt it unproven with `whetstone adopt --one-shot ([0-9a-f]{8})`\.\nkept the original\n/;
  const trained = await whetstone("train");
  const [, run = ""] = said.exec(trained) ?? [];
  expect(trained).toMatch(said);
  expect(trained).toContain(
    `next   whetstone diff --one-shot ${run}, then whetstone adopt --one-shot ${run}`,
  );
  expect(await whetstone("runs", "show", run)).toContain(`\`whetstone adopt --one-shot ${run}\``);

  expect(await whetstone("diff", "--one-shot", run)).toMatch(
    /its one-shot rewrite \(unproven\)[^]*\n\+- Parcels of [^]*exit 0$/,
  );
  expect(await whetstone("adopt", "--one-shot", run)).toMatch(
    /^Adopted the one-shot rewrite of run [^]*exit 0$/,
  );
  expect(live()).toBe(world.seedSkill(6));
  expect(await whetstone("undo", run)).toMatch(/exit 0$/);
  expect(live()).toBe(world.seedSkill(1));
});
