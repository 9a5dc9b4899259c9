import { join } from "node:path";
import { expect, test } from "vitest";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { installedName } from "../../core/tasks/agent-environment.ts";
import type { Task } from "../../core/tasks/task.ts";
import { resolveNeighbours } from "./resolve-neighbours.ts";
import { resolveConfig } from "./resolve.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

const text = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nBody.\n`;
const forms = singleFileSkill(text("forms"));

test("neighbours are read from their folders", async () => {
  const dir = await tempDir({ "labels/SKILL.md": text("labels"), "letters/SKILL.md": text("letters") });
  const paths = ["labels", "letters"].map((name) => join(dir, name));
  const notes: string[] = [];
  const found = await resolveNeighbours({ track: "description", neighbours: paths }, forms, notes);
  expect(found.map(installedName)).toEqual(["labels", "letters"]);
  expect(notes).toEqual([]);
});

test("without neighbours a guess says that precision is easy to fake, on the description track alone", async () => {
  const notes: string[] = [];
  expect(await resolveNeighbours({ track: "description" }, forms, notes)).toEqual([]);
  expect(notes).toEqual([expect.stringContaining("can look precise")]);
  await resolveNeighbours({}, forms, notes);
  expect(notes).toHaveLength(1);
});

test("a name that is taken, a neighbour without description and a setting without meaning are refused", async () => {
  const dir = await tempDir({ "twin/SKILL.md": text("forms"), "mute/SKILL.md": "No frontmatter.\n" });
  const refused = async (config: Parameters<typeof resolveNeighbours>[0]) =>
    resolveNeighbours(config, forms, []).then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(await refused({ neighbours: [join(dir, "twin")] })).toMatchObject({
    code: "skill-invalid",
    message: expect.stringContaining("has the same name as the trained skill: forms"),
  });
  expect(await refused({ neighbours: [join(dir, "mute")] })).toMatchObject({ code: "skill-invalid" });
  expect(await refused({ track: "description", slowUpdate: true })).toMatchObject({
    code: "config-invalid",
    message: '"slowUpdate" has no effect on the description track.',
  });
  expect(await refused({ track: "description", slowUpdate: false })).toBeUndefined();
  const notes = singleFileSkill(text("notes"), "AGENTS.md");
  await expect(resolveNeighbours({ track: "description" }, notes, [])).rejects.toThrow(
    "AGENTS.md is always loaded",
  );
});

test("a config for the wrong track is refused before anything is called", async () => {
  const dir = await tempDir({
    "forms/SKILL.md": text("forms"),
    "mute/SKILL.md": "---\nname: mute\n---\n\nBody.\n",
  });
  const requests = Array.from(
    { length: 8 },
    (_, at): Task => ({
      id: `t${at}`,
      input: `Request ${at}`,
      checks: [{ kind: "trigger", value: at % 2 === 0 }],
    }),
  );
  const questions = requests.map(({ id, input }): Task => ({ id, input, answers: ["yes"] }));
  const split = (tasks: readonly Task[]) => ({ train: tasks.slice(0, 4), val: tasks.slice(4) });
  const refused = async (skill: string, track: "body" | "description", tasks: readonly Task[]) =>
    resolveConfig(
      { skill: join(dir, skill), track, tasks: split(tasks), target: "office/target" },
      { cwd: dir, env: {}, roles: [] },
    ).then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(await refused("forms", "description", requests)).toBeUndefined();
  expect(await refused("forms", "body", questions)).toBeUndefined();
  expect(await refused("mute", "description", requests)).toMatchObject({ code: "skill-invalid" });
  expect(await refused("forms", "description", questions)).toMatchObject({
    code: "tasks-invalid",
    message: expect.stringContaining("Task t0 isn't a trigger task"),
  });
  expect(await refused("forms", "body", requests)).toMatchObject({
    code: "tasks-invalid",
    hint: expect.stringContaining("--track description"),
  });
});
