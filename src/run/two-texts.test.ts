import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { percent } from "../core/measure/percent.ts";
import { hiddenRuleWorld, startScriptedServer } from "../testing/index.ts";
import { adopt, diff, undo } from "./offer/proposals.ts";
import { train } from "./verbs/train.ts";

/** A skill that knows one rule of six, and an optimizer half of whose edits do nothing. */
async function trainOffice(seed: number) {
  const world = hiddenRuleWorld({
    seed,
    rules: 6,
    passWith: 0.9,
    passWithout: 0.1,
    noise: 0.1,
    useful: 0.5,
    useless: 0.5,
    harmful: 0,
  });
  const server = await startScriptedServer({ seed, world });
  onTestFinished(() => server.close());
  const original = world.seedSkill(1);
  const cwd = await tempDir({ "SKILL.md": original });
  const run = await train({
    cwd,
    skill: "SKILL.md",
    tasks: world.splits({ train: 30, val: 48, test: 20 }),
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${server.url}/v1`,
    gate: "rules",
    epochs: 3,
    baselines: false,
    slowUpdate: false,
    spend: { calls: 5000 },
  });
  return { run, cwd, original, live: () => readFileSync(join(cwd, "SKILL.md"), "utf8") };
}

test("the text that isn't offered is measured, named, adopted as unproven and undone", async () => {
  const { run, cwd, original, live } = await trainOffice(7);
  const { other } = run;
  const all = run.summary.rules?.rules ?? [];
  const kept = all.filter(({ state }) => state === "kept");
  const full = all.filter(({ state, text }) => state !== "repeated" && other?.text.includes(text));
  expect(other).toMatchObject({ name: "full", rules: full.length });
  expect(full.length).toBeGreaterThan(kept.length);
  expect(kept.every((rule) => full.includes(rule))).toBe(true);
  const tokensOf = (rules: typeof kept) => rules.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(other?.sentence).toBe(
    `Full text: ${full.length} rules, ${tokensOf(full)} tokens, about ${percent(other?.score ?? 0)} on val. Offered: ${kept.length} rules, ${tokensOf(kept)} tokens, about ${percent(run.best.score ?? 0)} on val.`,
  );
  expect(run.summary.other).toEqual({ ...other, skill: undefined, text: undefined });
  expect(readFileSync(join(run.folder, "full_skill.md"), "utf8")).toBe(other?.text);

  await expect(adopt({ cwd, text: "lean" })).rejects.toMatchObject({ code: "not-found" });
  await expect(adopt({ cwd, text: "full", drop: ["1"] })).rejects.toMatchObject({ code: "usage" });
  expect((await diff({ cwd })).lines.join("\n")).toContain(`\`whetstone adopt --full ${run.id}\``);
  expect((await diff({ cwd, text: "full" })).proposal).toMatchObject({
    verdict: "not-tested",
    proven: false,
  });
  const adopted = await adopt({ cwd, text: "full" });
  expect(adopted.lines[0]).toBe(
    `Adopted the full text of run ${run.id} (unproven) into ${join(cwd, "SKILL.md")}.`,
  );
  expect(live()).toBe(other?.text);
  expect((await undo({ cwd })).kind).toBe("undone");
  expect(live()).toBe(original);
});
