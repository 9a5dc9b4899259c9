import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../test/support/type-whetstone.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { learnableWorld } from "../../../test/support/learnable-world.ts";

const world = learnableWorld(2);

/** A project with a skill, a better one, tasks and a config file; the server plays both models. */
async function openOffice() {
  const server = await startScriptedServer({ seed: 2, world, record: false });
  onTestFinished(() => server.close());
  const { train, val, test: sealed } = world.splits({ train: 12, val: 12, test: 20 });
  const config = {
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${server.url}/v1`,
    spend: { calls: 2000 },
    epochs: 2,
    batchSize: 12,
    trials: 1,
  };
  const dir = await tempDir({
    "SKILL.md": world.seedSkill(1),
    "better.md": world.seedSkill(6),
    "tasks/train.json": JSON.stringify(train),
    "tasks/val.json": JSON.stringify(val),
    "tasks/test.json": JSON.stringify(sealed),
    "whetstone.config.json": JSON.stringify(config),
  });
  const whetstone = (...args: readonly string[]) => typeWhetstone(dir, args);
  return { dir, server, whetstone };
}

test("plan calls nobody, writes nothing, and refuses a cap that cannot finish one step", async () => {
  const { dir, server, whetstone } = await openOffice();
  const prices = ["--price", "office/target=0.1,0.4", "--price", "office/optimizer=1,4"];
  const { code, out, err } = await whetstone("plan", "--trials", "3", ...prices);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^\$0\.\d+–\$0\.\d+, [\d.]+–[\d.]+ minutes, \d+–\d+ calls for 2 steps$/m);
  expect(out).toContain("The cap of 2000 calls covers all steps.");
  expect(out).toMatch(/^The sealed test has 80% power to find a gain of \d+ points or more/m);
  expect(out).toMatch(/^ {2}3 \*(?: +[\d–]+%){3}$/m);
  expect(out.split("\n").every((line) => line.length <= 80)).toBe(true);

  const refused = await whetstone("plan", "--spend-calls", "20");
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(
    /^error spend-too-small: 20 calls can't finish one step: it takes at least \d+ calls\.$/m,
  );
  const json = await whetstone("plan", "--json", ...prices);
  expect(JSON.parse(json.out)).toMatchObject({ refusal: null, steps: { planned: 2 }, sealed: { tasks: 20 } });
  expect(server.callCount).toBe(0);
  expect(existsSync(join(dir, ".whetstone"))).toBe(false);
});

test("few val tasks choose the strict gate, and plan and train say so; --gate rules is obeyed in silence", async () => {
  const { dir, server, whetstone } = await openOffice();
  await writeFile(
    join(dir, "tasks/val.json"),
    JSON.stringify(world.splits({ train: 12, val: 4, test: 20 }).val),
  );
  const note =
    "note   gate: strict, because val has 4 of the 6 tasks that rules needs; --gate rules measures each rule by itself\n";
  const short = ["--epochs", "1", "--no-eval-test", "--no-baselines"];
  const plan = await whetstone("plan", ...short);
  expect(plan.out).toContain(note);
  const first = await whetstone("train", ...short);
  expect([first.code, first.out + first.err]).toEqual([0, expect.stringContaining(note)]);
  expect(first.out + first.err).toContain("gate strict on hard");
  // the gate is in the run's identity, as if it had been named
  const calls = server.callCount;
  const named = await whetstone("train", ...short, "--gate", "strict");
  expect(named.out + named.err).not.toContain("note   gate");
  expect(server.callCount).toBe(calls);
  const [run] = await readdir(join(dir, ".whetstone/runs"));
  const config = JSON.parse(await readFile(join(dir, `.whetstone/runs/${run}/config.json`), "utf8"));
  expect(config).toMatchObject({ settings: { gate: "strict" } });

  const rules = await whetstone("plan", ...short, "--gate", "rules");
  expect(rules.out).not.toContain("gate:");
  expect((await whetstone("plan", "--for", "eval", "--on", "val")).out).not.toContain("gate:");
});

test("a plan without a sealed test does not speak of one, nor of a claim on val, and names a model once", async () => {
  const { whetstone } = await openOffice();
  const { out } = await whetstone("plan", "--no-eval-test", "--optimizer", "office/target");
  expect(out).toContain("The test split isn't read, so no gain is claimed.");
  expect(out).not.toContain("sealed test");
  expect(out).not.toMatch(/on val .* would find/);
  const [, guessed = ""] = /until a model's first reply:([^.]*)\./.exec(out) ?? [];
  expect(guessed.match(/office\/target/g)).toHaveLength(1);
});

test("plan reckons with the score that eval measured last", async () => {
  const { whetstone } = await openOffice();
  expect((await whetstone("plan")).out).toMatch(/a score of\s+50%;/);
  await whetstone("eval");
  const same = await whetstone("plan", "--for", "eval");
  expect(same.out.replaceAll(/\s+/g, " ")).toContain("0 calls for eval the skill: ");
  expect(same.out).toContain("Nothing is left to buy: the journal has every result.");
  const plan = await whetstone("plan");
  expect(plan.out).not.toContain("Nothing is left");
  expect(plan.out).toMatch(/score comes from the last\s+`whetstone eval`/);
  expect(plan.out).toMatch(/Reply lengths in the journal: \d+ from the target\./);
});

test("several texts are one question, and deleting .whetstone gives no fresh start", async () => {
  const { dir, server, whetstone } = await openOffice();
  await writeFile(join(dir, "kind.md"), `${world.seedSkill(1)}\n- Be kind to each customer.\n`);
  await writeFile(join(dir, "brief.md"), `${world.seedSkill(1)}\n- Think about the weather.\n`);
  const texts = ["kind.md", "better.md", "SKILL.md"];
  const all = await whetstone("compare", "SKILL.md", ...texts, "--fail-on", "not-better");
  expect([all.code, all.err]).toEqual([0, ""]);
  expect(all.out).toMatch(/^3 texts compared with SKILL\.md, as one question$/m);
  expect(all.out).toMatch(/^ {2}\? not proven +kind\.md +(\d+\.\d%) → \1 +\+0\.0 points$/m);
  expect(all.out).toMatch(/^ {2}= identical +SKILL\.md/m);
  expect(all.out).toMatch(/^better than SKILL\.md: /m);
  expect(all.out.replaceAll(/\s+/g, " ")).toContain(
    "2 texts were compared at once and count as one: the first comparison",
  );
  const calls = server.callCount;

  await rm(join(dir, ".whetstone"), { recursive: true });
  const next = await whetstone("compare", "SKILL.md", "brief.md");
  expect(next.out.replaceAll(/\s+/g, " ")).toContain("The 2nd text compared on these tasks in this journal.");
  expect(server.callCount).toBeGreaterThan(calls);
  const plan = await whetstone("plan", "better.md", "--for", "compare", "--baseline", "brief.md");
  expect(plan.out.replaceAll(/\s+/g, " ")).toContain("It would be the 3rd text compared on these tasks.");
});

test("compare prints the verdict first, and --fail-on makes it the exit code", async () => {
  const { dir, server, whetstone } = await openOffice();
  const better = await whetstone("compare", "SKILL.md", "better.md", "--fail-on", "worse");
  expect([better.code, better.err]).toEqual([0, ""]);
  expect(better.out).toMatch(/^better than SKILL\.md: \d+\.\d% → 100\.0%\n {2}\+\d/m);
  const calls = server.callCount;
  const worse = await whetstone("compare", "better.md", "SKILL.md", "--fail-on", "worse");
  expect(worse.code).toBe(1);
  expect(worse.out).toMatch(/^ {2}lost, with too few repeats to be sure: parcel-\d+/m);
  expect(worse.err).toMatch(/^error failed: The verdict is "worse", and --fail-on is worse\.$/m);
  // another claim: no arm that was bought before is half of it, and preflight asks with the other skill
  expect(server.callCount).toBe(2 * calls);

  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: dir });
  git("init", "-q");
  git("add", "SKILL.md");
  git("commit", "-qm", "first");
  const same = await whetstone("eval", "--baseline", "HEAD", "--fail-on", "worse");
  expect([same.code, same.out.includes("identical to HEAD")]).toEqual([0, true]);
  await writeFile(join(dir, "SKILL.md"), world.seedSkill(6));
  const gained = await whetstone("eval", "--baseline", "HEAD", "--fail-on", "not-better");
  expect([gained.code, gained.err]).toEqual([0, ""]);
  expect(gained.out).toMatch(/^better than HEAD: /m);
  const alone = await whetstone("eval", "--fail-on", "worse");
  expect([alone.code, alone.err]).toEqual([2, expect.stringContaining("Add --baseline <git ref or path>")]);
});
