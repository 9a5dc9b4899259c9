import { perform } from "./perform.ts";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { memoryJournal } from "../../adapters/journals/memory.ts";
import { hashFolder, makeRepository } from "../../../test/support/repository.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { evaluateVerb } from "./evaluate.ts";

const env = { PATH: process.env["PATH"] };
const run = [
  "sh",
  "-c",
  'if grep -q "made with plus"; then sed -i "s/-/+/" sum.sh; fi; test ! -e sum.sh || cat node_modules/kit/word',
];

/** A project whose sum is wrong at its first commit and right at its last, with a folder that git does not hold. */
async function project() {
  const base = await tempDir();
  const repo = join(base, "repo");
  mkdirSync(repo);
  const [commit = ""] = makeRepository(repo, [
    {
      "sum.sh": "expr $1 - $2\n",
      "test.sh": 'test "$(sh sum.sh 3 2)" = 5 && cat node_modules/kit/word\n',
      ".gitignore": "node_modules\n",
    },
    { "sum.sh": "expr $1 + $2\n" },
  ]);
  const kit = join(repo, "node_modules/kit");
  mkdirSync(kit, { recursive: true });
  writeFileSync(join(kit, "word"), "from the kit\n");
  const out = join(base, "out");
  const tasks = ["one", "two"].map((id) => ({
    id,
    input: `Mend the sum, as ${id} would.`,
    checkout: commit,
    checks: [{ kind: "command", value: { run: "sh test.sh" } }],
  }));
  const config = (text: string) => ({
    skill: { main: "AGENTS.md", files: { "AGENTS.md": text } },
    tasks: { train: tasks.slice(0, 1), val: tasks.slice(1) },
    target: "handy/default",
    agents: { handy: { run } },
    sleep: { dependencies: ["node_modules"] },
    spend: { calls: 100 },
    out,
  });
  return { base, repo, commit, tasks, config };
}

test("tasks that start from a commit of the project are run and graded there, and nothing is left behind", async () => {
  const { base, repo, config } = await project();
  const temporary = join(base, "tmp");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const untouched = hashFolder(repo);
  const measure = async (text: string) => {
    const resolved = await resolveConfig(config(text), { cwd: repo, env, roles: ["target"] });
    const journal = await memoryJournal();
    const { summary } = await perform(
      evaluateVerb({ ...resolved, journalDir: join(base, "journal") }, "val"),
      { journal },
    );
    return summary.hard;
  };
  expect(await measure("Be brief.\n")).toBe(0);
  expect(await measure("Sums are made with plus.\n")).toBe(1);
  expect(readdirSync(temporary)).toEqual([]);
  expect(hashFolder(repo)).toBe(untouched);
});

test("a commit that the repository does not have is told before anything runs, with its task", async () => {
  const { base, repo, config, tasks } = await project();
  const [first, second] = tasks;
  const wrong = { ...config("x"), tasks: { train: [first], val: [{ ...second, checkout: "0".repeat(40) }] } };
  const options = { env, roles: ["target"] as const };
  await expect(resolveConfig(wrong as never, { ...options, cwd: repo })).rejects.toThrow(
    "Task two starts from commit 000000000000, which isn't in this repository.",
  );
  await expect(resolveConfig(config("x"), { ...options, cwd: base })).rejects.toMatchObject({
    code: "tasks-invalid",
    message: expect.stringContaining("isn't in a git repository"),
  });
});
