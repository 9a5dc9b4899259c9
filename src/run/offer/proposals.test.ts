import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { hiddenRuleWorld } from "../../testing/hidden-rule-world.ts";
import { startScriptedServer } from "../../testing/scripted-server/start-scripted-server.ts";
import { plan } from "../plan.ts";
import { adopt, diff, undo } from "./proposals.ts";
import { train } from "../verbs/train.ts";

/** A project with relative paths alone. */
async function openProject(seed: number) {
  const cwd = await tempDir();
  const world = hiddenRuleWorld({ seed, rules: 6 });
  const server = await startScriptedServer({ seed, world });
  mkdirSync(join(cwd, "data"));
  writeFileSync(join(cwd, "SKILL.md"), world.seedSkill(1));
  for (const [split, tasks] of Object.entries(world.splits({ train: 12, val: 12, test: 12 })))
    writeFileSync(join(cwd, "data", `${split}.json`), JSON.stringify(tasks));
  const options = {
    cwd,
    skill: "SKILL.md",
    tasks: "data",
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${server.url}/v1`,
    epochs: 1,
    gate: "off",
    baselines: false,
    evalTest: false,
    spend: { calls: 5000 },
  } as const;
  const live = () => readFileSync(join(cwd, "SKILL.md"), "utf8");
  return { cwd, server, world, options, live };
}

test("two projects in one process: each is planned, trained, adopted and undone in its own folder", async () => {
  const projects = [await openProject(1), await openProject(2)];
  const plans = await Promise.all(projects.map(({ options }) => plan(options)));
  expect(plans.map(({ tasks }) => tasks.train)).toEqual([12, 12]);
  const runs = await Promise.all(projects.map(({ options }) => train(options)));
  for (const [at, { cwd, world, live, server }] of projects.entries()) {
    const run = runs[at];
    expect(run?.folder.startsWith(join(cwd, ".whetstone"))).toBe(true);
    const before = live();
    expect((await diff({ cwd })).proposal.run).toBe(run?.id);
    expect(live()).toBe(before);
    const adopted = await adopt({ cwd, run: run?.id.slice(0, 6), unproven: true });
    expect(adopted.kind).toBe("adopted");
    expect(live()).toBe(run?.best.text);
    expect(live()).not.toBe(before);
    expect((await undo({ cwd })).kind).toBe("undone");
    expect(live()).toBe(world.seedSkill(1));
    await server.close();
  }
});

test("a plan that was aborted ends with the reason", async () => {
  const { options, server } = await openProject(3);
  await expect(plan({ ...options, signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
    "enough",
  );
  await server.close();
});

test("only a look needs no word: not what finishes an adoption, and options are read once", async () => {
  // this instance has not been told that a person speaks
  vi.resetModules();
  const { adopt: adoptUnasked } = await import("./proposals.ts");
  const journal = await tempDir();
  await expect(adoptUnasked({ journal, check: true, finish: true })).rejects.toMatchObject({
    code: "not-confirmed",
  });
  let reads = 0;
  const options = {
    journal,
    get check() {
      reads += 1;
      return reads === 1;
    },
  };
  await expect(adoptUnasked(options)).rejects.toMatchObject({ code: "not-found" });
  expect(reads).toBe(1);
});
