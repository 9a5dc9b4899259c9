import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../../test/support/type-whetstone.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../../testing/index.ts";

test("prune says its verdict, then the table; what it proposes is adopted by hand", async () => {
  const world = hiddenRuleWorld({ seed: 2, rules: 3, passWith: 1, passWithout: 0, noise: 0 });
  const server = await startScriptedServer({ seed: 2, world, record: false });
  onTestFinished(() => server.close());
  const advice = "- Stay calm, whatever the note says.";
  const config = {
    target: "office/target",
    baseURL: `${server.url}/v1`,
    trials: 1,
    spend: { calls: 2000 },
    tasks: { train: world.tasks(1), val: world.tasks(9, { start: 1 }) },
  };
  const dir = await tempDir({
    "SKILL.md": `${world.seedSkill(2)}${advice}\n`,
    "whetstone.config.json": JSON.stringify(config),
  });
  const whetstone = (...args: readonly string[]) => typeWhetstone(dir, args);

  const { code, out } = await whetstone("prune", "SKILL.md", "--margin", "20");
  expect(code, out).toBe(0);
  const lines = out.split("\n");
  const verdict = lines.findIndex((line) => line.startsWith("not tested: 2 rules removed, "));
  expect(
    lines.findIndex((line) => / 4 rules, 9 val tasks: \d+ to \d+ rollouts, /.test(line)),
  ).toBeGreaterThan(-1);
  expect(verdict).toBeGreaterThan(0);
  expect(lines[verdict + 1]).toMatch(
    /^ {2}Not worse by more than 20 points on the 9 val tasks, saves \d+ of/,
  );
  expect(lines.findIndex((line) => line.includes(advice))).toBeGreaterThan(verdict);
  expect(out).toMatch(/^ {2}removed: not missed$/m);
  expect(out).toMatch(/^ {2}kept: some task needs it$/m);

  const next = (printed: string) => /^ *next:? +(.+)$/m.exec(printed)?.[1];
  const [, run = ""] = /^whetstone diff (\S+); a test split could prove it$/.exec(next(out) ?? "") ?? [];
  expect(run, out).not.toBe("");
  const shown = await whetstone("runs", "show", run);
  expect(next(shown.out), shown.out).toBe(next(out));

  const again = await whetstone("prune", "SKILL.md", "--margin", "20", "--json");
  const last = JSON.parse(again.out.trimEnd().split("\n").at(-1) ?? "") as { summary: { removed: number } };
  expect(last).toMatchObject({ type: "run-end", summary: { removed: 2, verdict: "not-tested" } });

  expect((await whetstone("diff")).out).toContain(`\n-${advice}\n`);
  expect((await whetstone("adopt")).code).toBe(2);
  expect((await whetstone("adopt", "--unproven")).code).toBe(0);
  expect(await readFile(join(dir, "SKILL.md"), "utf8")).not.toContain(advice);
});
