import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository } from "../../../test/support/repository.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { openJournal } from "../../adapters/journals/open-journal.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { compare } from "../verbs/compare.ts";
import { openBase } from "./base-commit.ts";
import { changedSkills } from "./changed-skills.ts";
import { checkSkills } from "./check-skills.ts";

const world = hiddenRuleWorld({ seed: 6, rules: 6, noise: 0.3, passWith: 1, passWithout: 0.1 });
const tasks = world
  .tasks(12)
  .map((task) => `${JSON.stringify(task)}\n`)
  .join("");

/** A project whose branch changes the skills a and b, and checks of it as one push after another does them. */
async function project(spend?: Config["spend"]) {
  // so that calls are in flight when one fails
  const latency = { kind: "uniform", minMs: 5, maxMs: 50 } as const;
  const server = await startScriptedServer({ seed: 6, world, record: false, latency });
  onTestFinished(() => server.close());
  const cwd = await tempDir();
  const skills = (rules: number) =>
    Object.fromEntries(
      ["a", "b"].map((name) => [`skills/${name}/SKILL.md`, `${world.seedSkill(rules)}\nThis is ${name}.\n`]),
    );
  const [commit = ""] = makeRepository(cwd, [
    { ...skills(4), "skills/a/tasks.jsonl": tasks, "skills/b/tasks.jsonl": tasks },
    skills(5),
  ]);
  const journal = join(cwd, ".whetstone");
  const base = await openBase(cwd, commit);
  onTestFinished(() => base.close());
  const configOf = (skill: string): Config => ({
    skill: join(base.cwd, skill),
    tasks: join(base.cwd, skill, "tasks.jsonl"),
    target: "office/target",
    baseURL: `${server.url}/v1`,
    prices: { "office/target": { input: 100, output: 100 } },
    trials: 2,
    journal,
    ...(spend === undefined ? {} : { spend }),
  });
  const push = async (configFor = configOf) => {
    const caps: (number | undefined)[] = [];
    const runs: string[] = [];
    const { checks } = await checkSkills(
      await changedSkills({ cwd, base: "HEAD~1", globs: ["**/SKILL.md"] }),
      {
        cwd,
        base,
        configFor: async (skill) => configFor(skill),
        compare: (config, baseline, hear) =>
          compare({
            ...config,
            baseline,
            cwd: base.cwd,
            onEvent(event) {
              hear(event);
              if (event.type !== "run-start") return;
              caps.push(event.caps?.usd);
              runs.push(event.run);
            },
          }),
      },
    );
    const booked = await Promise.all(runs.map((run) => bookedBy(run, journal)));
    return { checks, caps, booked };
  };
  return { cwd, server, configOf, push };
}

async function bookedBy(run: string, journalDir: string): Promise<number> {
  const journal = await openJournal({ journalDir }, { readOnly: true });
  try {
    return (await readLedger(journal.read({ run }))).spent.nanoUsd / 1e9;
  } finally {
    await journal.close();
  }
}

test("what a comparison spent before it failed is gone for the next one; a later push pays for its own calls alone", async () => {
  const { server, push } = await project({ usd: 40 });
  let calls = 0;
  // the key goes out of use in the middle of the first skill
  server.faults = () => ((calls += 1) === 10 ? "401" : undefined);
  const first = await push();
  expect(first.checks.map(({ kind }) => kind)).toEqual(["not-measured", "compared"]);
  expect(first.booked[0]).toBeGreaterThan(0.01);
  expect(first.caps[0]).toBe(40);
  expect(first.caps[1]).toBeCloseTo(40 - (first.booked[0] ?? 0), 9);

  server.faults = undefined;
  const { checks, caps, booked } = await push();
  expect(caps[1]).toBeCloseTo(40 - ((booked[0] ?? 0) - (first.booked[0] ?? 0)), 9);
  expect(checks[1]).toMatchObject({ kind: "compared", spentNow: "$0" });
  expect((await push()).caps).toEqual([40, 40]);
});

test("skills without a written cap share the one that holds without it", async () => {
  const { push } = await project();
  const { caps, booked } = await push();
  expect(caps).toEqual([5, 5 - (booked[0] ?? 0)]);
});

test("a skill whose config cannot be read is told of beside the others", async () => {
  const { configOf, push } = await project({ usd: 40 });
  const { checks } = await push((skill) => {
    if (skill === "skills/b") throw new WhetstoneError("config-invalid", "No config.", { hint: "Mend it." });
    return configOf(skill);
  });
  expect(checks).toMatchObject([
    { kind: "compared" },
    { kind: "not-measured", why: "No config.", next: "Mend it.", error: { code: "config-invalid" } },
  ]);
});

test("an agent without a sandbox isn't started, and neither is a config that reads what the branch changes", async () => {
  const { cwd, server, configOf, push } = await project();
  const { checks } = await push((skill) =>
    skill === "skills/a"
      ? { ...configOf(skill), target: "claude-code/sonnet", sandbox: "none" }
      : { ...configOf(skill), tasks: join(realpathSync(cwd), "skills/b/SKILL.md") },
  );
  expect(checks).toMatchObject([
    {
      kind: "not-measured",
      error: { code: "config-invalid" },
      why: expect.stringContaining('"sandbox": "none"'),
    },
    {
      kind: "not-measured",
      error: { code: "config-invalid" },
      why: expect.stringContaining("skills/b/SKILL.md"),
    },
  ]);
  expect(server.callCount).toBe(0);
});
