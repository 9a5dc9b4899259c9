import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { changedSkills } from "../src/run/pull-request/changed-skills.ts";
import { checkOutMerge, mergeAsGithub } from "./support/github-merge.ts";
import { gitIn, makeRepository } from "./support/repository.ts";
import { tempDir } from "./support/temp-dir.ts";

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
}
interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly "runs-on"?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, "..");
const folder = ".github/workflows";
const names = globSync("*.yml", { cwd: join(root, folder) }).toSorted();
const read = (name: string): Workflow => parse(readFileSync(join(root, folder, name), "utf8")) as Workflow;
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

test.each(names)("%s: jobs and steps have the shape that GitHub reads, and call what is there", (name) => {
  const { on, permissions, jobs } = read(name);
  expect(on).not.toHaveProperty("pull_request_target");
  // what a job may write, it says itself
  expect(permissions).toEqual({ contents: "read" });
  for (const [id, job] of Object.entries(jobs)) {
    expect([id, job.needs === undefined || job.needs in jobs]).toEqual([id, true]);
    if (job.uses !== undefined) {
      expect(existsSync(join(root, job.uses))).toBe(true);
      continue;
    }
    expect(job["runs-on"]).toEqual(expect.any(String));
    expect(job.steps?.length).toBeGreaterThan(0);
    for (const step of job.steps ?? []) {
      expect([step.uses, step.run].filter((one) => one !== undefined)).toHaveLength(1);
      // actions of the platform itself alone
      expect(step.uses ?? "actions/").toMatch(/^actions\//);
      checkCommands(step.run ?? "");
    }
  }
});

const pages = [
  "action.yml",
  "README.md",
  ...globSync("{docs,examples,plugins,.github}/**/*.{md,yml,yaml}", { cwd: root }),
];

test("every action that we use or show is pinned by the hash of a commit, with its version behind it", () => {
  const uses = pages
    .filter((file) => !file.includes("node_modules"))
    .flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/^[\s-]*uses:\s*(.+)$/gm)].map(
        ([, used = ""]) => [file, used] as const,
      ),
    )
    .filter(([, used]) => !used.startsWith("./"));
  expect(uses.length).toBeGreaterThan(10);
  const pinned =
    /^(?:[\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+|<owner>\/whetstone@<commit> # v\d+\.\d+\.\d+)$/;
  expect(uses.filter(([, used]) => !pinned.test(used))).toEqual([]);
  // one commit for one action
  const hashes = Map.groupBy(uses, ([, used]) => used.split("@")[0]?.split("/").slice(0, 2).join("/"));
  for (const [name, found] of hashes)
    expect([name, new Set(found.map(([, used]) => used.split("@")[1])).size]).toEqual([name, 1]);
});

function checkCommands(text: string): void {
  // values reach a script through its environment: in the script itself they would be code
  expect(text).not.toContain("${{");
  expect(spawnSync("bash", ["-n", "-c", text], { encoding: "utf8" }).stderr).toBe("");
  for (const [, script = ""] of text.matchAll(/npm run -s ([\w:-]+)/g))
    expect(scripts).toHaveProperty(script);
  for (const [, file = ""] of text.matchAll(/(?:^|\s)(?:node|bash|\.) ([\w.][\w./-]+)/gm))
    expect([file, existsSync(join(root, file))]).toEqual([file, true]);
}

test("CI runs on three systems and two versions of Node", () => {
  expect(read("ci.yml").jobs["portable"]?.strategy?.matrix).toEqual({
    system: ["ubuntu-latest", "macos-latest", "windows-latest"],
    node: ["22", "24"],
  });
});

test("a release waits for CI, proves where it comes from, says what it is made of, and holds no token of npm", () => {
  const { jobs } = read("release.yml");
  const { needs = "", permissions, steps = [] } = jobs["publish"] ?? {};
  expect(jobs[needs]?.uses).toBe("./.github/workflows/ci.yml");
  expect(permissions).toEqual({ contents: "write", "id-token": "write" });
  const lines = steps.flatMap(({ run }) => run ?? []);
  const at = (part: string): number => lines.findIndex((line) => line.includes(part));
  const order = [
    "release/prepare.ts",
    "run -s build",
    "package-checks",
    "npm sbom",
    "npm pack",
    "release/lock-action.ts",
    "--provenance",
    "refs/tags/action-",
    "gh release create",
  ].map(at);
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(readFileSync(join(root, folder, "release.yml"), "utf8")).not.toMatch(
    /secrets\.|_TOKEN: \$\{\{ secrets/,
  );
});

test("templates of issues and the pull request's are there and can be read", () => {
  for (const file of globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: root })) {
    const form = parse(readFileSync(join(root, file), "utf8")) as Readonly<Record<string, unknown>>;
    if (file.endsWith("config.yml")) expect(form).toHaveProperty("blank_issues_enabled");
    else
      expect(form).toMatchObject({
        name: expect.any(String),
        description: expect.any(String),
        body: expect.any(Array),
      });
  }
  expect(globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: root }).length).toBeGreaterThan(2);
  expect(existsSync(join(root, ".github/pull_request_template.md"))).toBe(true);
});

/** A pull request that changes skill a, checked out as of its merge; then somebody else changes b on main. */
async function pullRequest() {
  const place = await tempDir();
  const [origin, cwd] = [join(place, "origin"), join(place, "checkout")];
  mkdirSync(origin);
  const [base = ""] = makeRepository(origin, [{ "skills/a/SKILL.md": "A", "skills/b/SKILL.md": "B" }]);
  const git = gitIn(origin);
  const commit = (path: string) => {
    writeFileSync(join(origin, path), "Changed.");
    git("commit", "--quiet", "--all", "--message", path);
    return git("rev-parse", "HEAD").trim();
  };
  git("checkout", "--quiet", "-b", "change");
  commit("skills/a/SKILL.md");
  const sha = mergeAsGithub(origin);
  const tip = commit("skills/b/SKILL.md");
  checkOutMerge(origin, sha, cwd);
  return { place, cwd, base, tip, sha };
}

test.each([
  ["the commit that GitHub merged into", { GIVEN: "", REF: "refs/pull/7/merge" }, "base", ["skills/a"]],
  ["a branch that is named", { GIVEN: "main", REF: "refs/pull/7/merge" }, "tip", ["skills/a", "skills/b"]],
  [
    "the base branch, where another commit is checked out",
    { GIVEN: "", REF: "refs/heads/main" },
    "tip",
    ["skills/a", "skills/b"],
  ],
] as const)("the action compares with %s", async (_, given, name, changed) => {
  const { place, cwd, ...commits } = await pullRequest();
  const { runs } = parse(readFileSync(join(root, "action.yml"), "utf8")) as { readonly runs: Job };
  const { run = "" } = runs.steps?.find(({ id }) => id === "base") ?? {};
  const output = join(place, "output");
  const env = { PATH: process.env["PATH"], BASE: "main", SHA: commits.sha, ...given, GITHUB_OUTPUT: output };
  const { status, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", run], {
    cwd,
    env,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  const [, base = ""] = /^base=(.+)$/m.exec(readFileSync(output, "utf8")) ?? [];
  const found = await changedSkills({ cwd, base, globs: ["**/SKILL.md"] });
  expect([found.base, found.skills.map(({ path }) => path)]).toEqual([commits[name], changed]);
});
