import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../testing/index.ts";
import { compare } from "./compare.ts";

const world = hiddenRuleWorld({ seed: 6, rules: 6, noise: 0.3, passWith: 1, passWithout: 0.1 });
const tasks = world.splits({ train: 10, val: 20, test: 10 });
const [poor, good] = [world.seedSkill(1), world.seedSkill(6)];

async function office() {
  const server = await startScriptedServer({ seed: 6, world, record: false });
  onTestFinished(() => server.close());
  const journal = await tempDir();
  const options = {
    tasks,
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 2000 },
    journal,
  } as const;
  return { server, options };
}

test("the better skill is called better, the worse one worse, with the lost tasks named", async () => {
  const { server, options } = await office();
  const first = { ...options, skill: singleFileSkill(good), baseline: singleFileSkill(poor), trials: 3 };
  const better = await compare(first);
  expect(better.summary).toMatchObject({
    verdict: "better",
    on: "all",
    tasks: 40,
    trials: 3,
    asked: { look: 1 },
  });
  expect(better.summary.sentence).toMatch(/^Better: \+\d/);
  expect(better.summary.claim).toMatchObject({ losses: 0 });
  const { callCount } = server;
  expect(callCount).toBe(1 + 2 * 40 * 3);
  const results = JSON.parse(await readFile(join(better.folder, "eval_after/results.json"), "utf8"));
  expect(results.trials[0]).toHaveLength(40);

  const again = await compare(first);
  expect(again).toMatchObject({ id: better.id, finishedBefore: true, summary: better.summary });
  expect(server.callCount).toBe(callCount);

  const worse = await compare({
    ...options,
    skill: singleFileSkill(poor),
    baseline: singleFileSkill(good),
    trials: 3,
  });
  expect(worse.summary.verdict).toBe("worse");
  expect(worse.summary.lost.some(({ blocks }) => blocks)).toBe(true);
  // from nearly 100% no gain could be found, but a loss
  expect(worse.summary.detectable).toBeLessThan(0.5);
  expect(worse.summary.detectable).toBeGreaterThan(0);
});

test("the same two texts are one question: more trials go on with the same pairs, and looks share its bar", async () => {
  const { server, options } = await office();
  const few = {
    ...options,
    skill: singleFileSkill(`${poor}\nBe kind.\n`),
    baseline: singleFileSkill(poor),
    on: "train" as const,
  };
  const first = await compare({ ...few, trials: 3 });
  const { callCount } = server;
  const second = await compare({ ...few, trials: 5 });
  // two more trials of ten tasks in two arms; the preflight is known
  expect(server.callCount - callCount).toBe(2 * 10 * 2);
  expect([first.summary.asked?.look, second.summary.asked?.look]).toEqual([1, 2]);
  expect([first.summary.asked?.read, second.summary.asked?.read]).toEqual([1, 1]);
  expect(second.summary.claim?.alpha).toBeCloseTo((first.summary.claim?.alpha ?? 0) / 18, 12);
  expect(second.summary.sentence).toContain("Look 2 at the same texts");
});

test("neither a fresh word, nor the other order, nor another file name makes a first look of it", async () => {
  const { options } = await office();
  const pair = { skill: singleFileSkill(good), baseline: singleFileSkill(poor) };
  const few = { ...options, ...pair, on: "train" as const, trials: 3 };
  expect((await compare(few)).summary.asked?.look).toBe(1);
  expect((await compare({ ...few, fresh: "again" })).summary.asked?.look).toBe(2);
  expect((await compare({ ...few, skill: pair.baseline, baseline: pair.skill })).summary.asked?.look).toBe(3);
  expect(
    (await compare({ ...few, skill: singleFileSkill(`${good}\n`, "other.md") })).summary.asked?.look,
  ).toBe(1);
});

test("few tasks are rolled more often", async () => {
  const { options } = await office();
  const on = "train" as const;
  const { summary } = await compare({
    ...options,
    skill: singleFileSkill(good),
    baseline: singleFileSkill(poor),
    on,
  });
  expect(summary.trials).toBeGreaterThan(1);
});

test("equal skills are not run at all", async () => {
  const { server, options } = await office();
  const { summary } = await compare({
    ...options,
    skill: singleFileSkill(good),
    baseline: singleFileSkill(good, "old.md"),
  });
  expect(summary).toMatchObject({ verdict: "identical", before: { score: null } });
  expect(server.callCount).toBe(0);
});

test("a claim that no outcome could support is refused before the first call", async () => {
  const { server, options } = await office();
  const tiny = {
    ...options,
    skill: singleFileSkill(good),
    baseline: singleFileSkill(poor),
    sealedAlpha: 1e-9,
  };
  await expect(compare({ ...tiny, on: "val" })).rejects.toMatchObject({
    code: "tasks-invalid",
    hint: expect.stringContaining("31 tasks would be enough"),
  });
  expect(server.callCount).toBe(0);
});

test("an interrupted comparison goes on without paying twice", async () => {
  const { server, options } = await office();
  const stop = new AbortController();
  const first = { ...options, skill: singleFileSkill(good), baseline: singleFileSkill(poor), concurrency: 4 };
  let ends = 0;
  const onEvent = ({ type }: { readonly type: string }) => {
    if (type === "unit-end" && ++ends === 30) stop.abort();
  };
  await expect(compare({ ...first, signal: stop.signal, onEvent })).rejects.toMatchObject({
    code: "interrupted",
  });
  const { summary } = await compare(first);
  expect(summary.verdict).toBe("better");
  expect(Math.max(...server.callsByKey.values())).toBe(1);
});

test("the baseline can be a git ref, of a file and of a folder with its tasks inside", async () => {
  const { options } = await office();
  const dir = await tempDir({
    "one/SKILL.md": poor,
    "two/SKILL.md": poor,
    "two/notes/codes.md": "Shelves are numbered.\n",
    "two/tasks.json": JSON.stringify(tasks.train),
    "three/SKILL.md": `${poor}\nSee [codes](codes.md).\n`,
    "three/codes.md": good,
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: dir });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  await writeFile(join(dir, "one/SKILL.md"), good);
  await writeFile(join(dir, "two/SKILL.md"), good);
  await writeFile(join(dir, "three/SKILL.md"), poor);
  const file = await compare({ ...options, skill: join(dir, "one/SKILL.md"), baseline: "HEAD", on: "val" });
  expect(file.summary.verdict).toBe("better");
  // with an account of its own, as these are other tasks of the same file
  const journal = await tempDir();
  const inside = { ...options, journal, tasks: undefined, skill: join(dir, "two"), on: "all" as const };
  const folder = await compare({ ...inside, baseline: "HEAD" });
  expect(folder.summary).toMatchObject({ verdict: "better", tasks: 10 });
  const same = await compare({ ...inside, baseline: join(dir, "two") });
  expect(same.summary.verdict).toBe("identical");

  // what a version links to is of that version, also when a later one has no link to it
  const lost = await compare({ ...options, skill: join(dir, "three"), baseline: "HEAD", on: "val" });
  expect(lost.summary.verdict).toBe("worse");

  const unknown = { ...options, skill: join(dir, "one/SKILL.md"), baseline: "no-such" };
  await expect(compare(unknown)).rejects.toMatchObject({
    code: "not-found",
    message: "No file or folder no-such exists, and git knows no such ref.",
  });
  await expect(compare({ ...options, skill: singleFileSkill(good), baseline: "HEAD" })).rejects.toMatchObject(
    {
      code: "not-found",
      message: expect.stringContaining("given in code"),
    },
  );
});
