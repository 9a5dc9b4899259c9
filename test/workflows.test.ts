import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
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
    "--provenance",
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
