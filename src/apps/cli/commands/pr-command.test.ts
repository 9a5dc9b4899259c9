import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type GithubComment, startGithubApi } from "../../../../test/support/github-api.ts";
import { gitIn, makeRepository } from "../../../../test/support/repository.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { spawnWhetstone } from "../../../../test/support/type-whetstone.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../../testing/index.ts";

const world = hiddenRuleWorld({ seed: 6, rules: 6, noise: 0.3, passWith: 1, passWithout: 0.1 });

async function project() {
  const server = await startScriptedServer({ seed: 6, world, record: false });
  onTestFinished(() => server.close());
  const comments: GithubComment[] = [];
  const github = await startGithubApi(comments, { mayWrite: (token) => token === "Bearer may-write" });
  onTestFinished(github.close);
  const dir = await tempDir();
  makeRepository(dir, [
    {
      "skills/office/SKILL.md": world.seedSkill(4),
      "skills/office/tasks.jsonl": world
        .tasks(30)
        .map((task) => `${JSON.stringify(task)}\n`)
        .join(""),
      "skills/bare/SKILL.md": "Answer.",
      "whetstone.config.json": JSON.stringify({
        target: "office/target",
        baseURL: `${server.url}/v1`,
        trials: 2,
        spend: { calls: 1000 },
      }),
      ".gitignore": ".whetstone\n",
    },
  ]);
  gitIn(dir)("checkout", "--quiet", "-b", "change");
  const event = join(dir, ".git/event.json");
  await writeFile(event, JSON.stringify({ pull_request: { number: 7 } }));
  const pr = async (token: string, ...args: readonly string[]) => {
    const env = {
      GITHUB_API_URL: github.url,
      GITHUB_REPOSITORY: "me/skills",
      GITHUB_EVENT_PATH: event,
      GITHUB_BASE_REF: "main",
      GITHUB_STEP_SUMMARY: join(dir, ".git/summary.md"),
      GITHUB_TOKEN: token,
    };
    const { code, out, err } = await spawnWhetstone(dir, ["pr", "--comment", ...args], { env });
    return { code, out: out + err };
  };
  return { dir, server, comments, pr };
}

test("a worse skill is refused, in one comment that the next push writes anew; the same push again is free", async () => {
  const { dir, server, comments, pr } = await project();
  expect((await pr("may-write", "--unattended")).out).toContain("next: Leave out --unattended");
  expect((await pr("may-write")).code).toBe(0);
  expect([server.callCount, comments.length]).toEqual([0, 0]);

  await writeFile(join(dir, "skills/office/SKILL.md"), world.seedSkill(1));
  await writeFile(join(dir, "skills/bare/SKILL.md"), "Answer well.");
  const worse = await pr("may-write", "--fail-on", "worse", "--junit", ".git/junit.xml");
  expect(worse.code, worse.out).toBe(1);
  expect(worse.out).toContain("skills/office: refused, because --fail-on is worse.");
  expect(comments).toHaveLength(1);
  expect(comments[0]?.body).toMatch(
    /\| `skills\/office` \| [\d.]+% \| [\d.]+% \| −[\d.]+ points \[.*▼ \*\*worse\*\*/,
  );
  expect(comments[0]?.body).toContain(
    "no tasks were found next to it (a tasks.jsonl there is enough): `skills/bare`",
  );
  expect(await readFile(join(dir, ".git/junit.xml"), "utf8")).toContain('<failure message="worse">');

  const bought = server.callCount;
  expect((await pr("may-write")).code).toBe(0);
  expect([server.callCount, comments.length]).toEqual([bought, 1]);
  expect(comments[0]?.body).toMatch(/\$0(?:\.0+)? now/);

  await writeFile(join(dir, "skills/office/SKILL.md"), world.seedSkill(4));
  await writeFile(join(dir, "skills/bare/SKILL.md"), "Answer.");
  await pr("may-write");
  expect(comments.map(({ body }) => body.split("\n")[1])).toEqual([
    "### No skill differs from the base branch",
  ]);
});

test("a skill that comes with other tasks and another config is judged by the base's, and theirs prove nothing", async () => {
  const { dir, server, comments, pr } = await project();
  await writeFile(join(dir, "skills/office/SKILL.md"), world.seedSkill(1));
  // fewer tasks, and the endpoint is somebody else's
  const tasks = await readFile(join(dir, "skills/office/tasks.jsonl"), "utf8");
  await writeFile(join(dir, "skills/office/tasks.jsonl"), tasks.split("\n").slice(0, 20).join("\n"));
  const liar = await startScriptedServer({ seed: 6, world, record: false });
  onTestFinished(() => liar.close());
  const config = join(dir, "whetstone.config.json");
  const written = JSON.parse(await readFile(config, "utf8")) as object;
  await writeFile(config, JSON.stringify({ ...written, baseURL: `${liar.url}/v1`, spend: { calls: 9999 } }));
  const { code, out } = await pr("may-write", "--json", "--fail-on", "worse", "--junit", ".git/junit.xml");
  expect(code, out).toBe(1);
  expect([server.callCount > 0, liar.callCount]).toEqual([true, 0]);
  const body = comments[0]?.body ?? "";
  expect(body).toContain(
    "This pull request also changes tasks (`skills/office/tasks.jsonl`), config (`whetstone.config.json`). The verdict uses the base commit's versions.",
  );
  expect(body.match(/^\| `skills.*$/gm)).toEqual([
    expect.stringContaining("▼ **worse**"),
    expect.stringContaining("– **not a proof**"),
  ]);
  expect(await readFile(join(dir, ".git/junit.xml"), "utf8")).toContain('<failure message="worse">');
  const lines = out.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  expect(lines.at(-1)).toMatchObject({
    checks: [
      {
        kind: "compared",
        summary: { verdict: "worse" },
        own: { figures: {}, changed: [{ kind: "tasks" }, { kind: "config" }] },
      },
    ],
  });
  // the events of the second comparison don't say a verdict either
  const ends = lines.filter(({ type }) => type === "run-end");
  expect(ends.map(({ summary }) => summary?.verdict)).toEqual(["worse", undefined]);
});

test("in a fork nothing is called, and the summary page says what measuring would take", async () => {
  const { dir, server, comments, pr } = await project();
  await writeFile(join(dir, "skills/office/SKILL.md"), world.seedSkill(6));
  const { code, out } = await pr("read-only", "--offline");
  expect(code, out).toBe(0);
  expect([server.callCount, comments.length]).toEqual([0, 0]);
  const summary = await readFile(join(dir, ".git/summary.md"), "utf8");
  expect(summary).toMatch(
    /- Not measured: `skills\/office`: .*would take \d+.* calls, about .* This comparison \(30 tasks, 2 trials each\)/,
  );
});
