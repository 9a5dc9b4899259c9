import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { journalPlace } from "../config/journal-place.ts";
import { hiddenRuleWorld, startScriptedServer } from "../testing/index.ts";
import { forget } from "./forget.ts";
import { findToMove, moveJournal } from "./move-journal.ts";
import { decidedPath, writeDecided } from "./offer/decided.ts";
import { adopt, undo } from "./offer/proposals.ts";
import { train } from "./verbs/train.ts";

const world = hiddenRuleWorld({ seed: 3, rules: 4, noise: 0.1 });
const splits = world.splits({ train: 12, val: 12, test: 8 });

async function startProject() {
  vi.stubEnv("WHETSTONE_STATE", await tempDir());
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const place = await tempDir();
  const project = join(place, "project");
  mkdirSync(project);
  writeFileSync(join(project, "SKILL.md"), world.seedSkill(2));
  const server = await startScriptedServer({ seed: 3, world });
  onTestFinished(() => server.close());
  const notes: string[] = [];
  const start = (cwd: string) =>
    train({
      cwd,
      skill: join(cwd, "SKILL.md"),
      tasks: splits,
      target: "office/target",
      optimizer: "office/optimizer",
      baseURL: `${server.url}/v1`,
      spend: { calls: 2000 },
      epochs: 3,
      gate: "strict",
      onNote: (note) => notes.push(note),
    });
  return { place, project, server, start, notes };
}

test("a project that was moved buys nothing again after one command, and can be undone", async () => {
  const { place, project, server, start } = await startProject();
  const { id, folder } = await start(project);
  expect(folder).toBe(join(project, ".whetstone/runs", id));
  const before = readFileSync(join(project, "SKILL.md"), "utf8");
  await adopt({ cwd: project, run: id, unproven: true });
  const after = readFileSync(join(project, "SKILL.md"), "utf8");
  expect(after).not.toBe(before);
  const calls = server.callCount;
  const moved = join(place, "renamed");
  renameSync(project, moved);
  writeFileSync(join(moved, "SKILL.md"), before);
  await expect(start(moved)).rejects.toMatchObject({
    code: "project-moved",
    message: expect.stringContaining(project) as string,
    hint: expect.stringContaining(`whetstone journal move '${project}'`) as string,
  });
  await moveJournal(moved, findToMove(moved));
  expect((await start(moved)).id).toBe(id);
  expect(server.callCount).toBe(calls);
  writeFileSync(join(moved, "SKILL.md"), after);
  await undo({ cwd: moved, run: id });
  expect(readFileSync(join(moved, "SKILL.md"), "utf8")).toBe(before);
});

test("a copy on another disk is named before anything is bought", async () => {
  const { place, project, server, start, notes } = await startProject();
  await start(project);
  const calls = server.callCount;
  expect(notes).toEqual([]);
  const [copy, moved] = [join(place, "copy"), join(place, "moved")];
  for (const folder of [copy, moved]) cpSync(project, folder, { recursive: true });
  await start(copy);
  const has = `${project} has a run with the same skill and tasks`;
  expect(notes.splice(0)).toEqual([
    expect.stringContaining(`${has}; to use its results, stop and add --journal`),
  ]);
  expect(server.callCount).toBeGreaterThan(calls);
  const bought = server.callCount;
  expect(() => findToMove(moved, project)).toThrow(`${project} still exists and keeps its journal`);
  rmSync(project, { recursive: true });
  await moveJournal(moved, findToMove(moved, project));
  await start(moved);
  expect(server.callCount).toBe(bought);
});

test("worktrees of a repository share what was bought, and receipts", async () => {
  const { place, project, server, start } = await startProject();
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "-q");
  git("add", "SKILL.md");
  git("commit", "-qm", "x");
  const before = readFileSync(join(project, "SKILL.md"), "utf8");
  const { id } = await start(project);
  await adopt({ cwd: project, run: id, unproven: true });
  const calls = server.callCount;
  const linked = join(place, "linked");
  git("worktree", "add", "-q", linked);
  expect((await start(linked)).id).toBe(id);
  expect(server.callCount).toBe(calls);
  // git brought the adopted text over
  cpSync(join(project, "SKILL.md"), join(linked, "SKILL.md"));
  await undo({ cwd: linked, run: id });
  expect(readFileSync(join(linked, "SKILL.md"), "utf8")).toBe(before);
});

test("what is written into the project's own folder is never read back", async () => {
  const { project, start } = await startProject();
  const { id, folder } = await start(project);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (/\.(?:json|md|html)$/.test(name)) writeFileSync(join(folder, name), "forged");
  const before = readFileSync(join(project, "SKILL.md"), "utf8");
  await adopt({ cwd: project, run: id, unproven: true });
  expect(readFileSync(join(project, "SKILL.md"), "utf8")).not.toContain("forged");
  expect(readFileSync(join(project, "SKILL.md"), "utf8")).not.toBe(before);
});

interface Results {
  readonly trials: readonly (readonly { readonly conversation: readonly { readonly content: string }[] }[])[];
}

test("a project, some words or old runs are forgotten", async () => {
  const { project, start, server } = await startProject();
  const { id } = await start(project);
  const { journalDir } = journalPlace(undefined, project);
  const results = readFileSync(join(journalDir, "runs", id, "test_eval_best/results.json"), "utf8");
  const { trials } = JSON.parse(results) as Results;
  const word = trials[0]?.[0]?.conversation.at(-1)?.content ?? "";
  const holds = () =>
    readdirSync(journalDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .some((entry) =>
        readFileSync(join(entry.parentPath, entry.name)).includes(JSON.stringify(word).slice(1, -1)),
      );
  expect(holds()).toBe(true);
  // a decision has the person's own words
  await writeDecided(journalDir, id, { rules: { 1: { deed: "edit", text: word } } });
  const { projects } = await forget({ text: word });
  expect(projects).toMatchObject([{ project, journalDir }]);
  expect(projects[0]?.rows).toBeGreaterThan(0);
  expect(holds()).toBe(false);
  const calls = server.callCount;
  await start(project);
  expect(server.callCount).toBeGreaterThan(calls);
  expect((await forget({ olderThanDays: 30 })).projects).toEqual([]);
  expect(existsSync(join(journalDir, "runs", id))).toBe(true);
  await writeDecided(journalDir, id, { rules: { 1: { deed: "reject", reason: "No." } } });
  expect((await forget({ olderThanDays: -1 })).projects).toMatchObject([{ project }]);
  expect(existsSync(join(journalDir, "runs", id))).toBe(false);
  expect(existsSync(decidedPath(journalDir, id))).toBe(false);
  await forget({ project });
  expect(existsSync(journalDir)).toBe(false);
});
