import { expect, test } from "vitest";
import { singleFileSkill } from "../../skill/skill.ts";
import type { Document } from "../rules/document.ts";
import { minedTask } from "../../../../test/support/mined-tasks.ts";
import { routeTasks } from "./route-tasks.ts";

const document = (id: string): Document => ({
  id,
  kind: id.includes("skill:") ? "skill" : "memory",
  scope: id.startsWith("personal:") ? "personal" : "project",
  name: id.slice(id.lastIndexOf(":") + 1),
  path: `/x/${id}`,
  skill: singleFileSkill(""),
});

const documents = [
  "skill:release",
  "personal:skill:review",
  "memory:AGENTS.md",
  "personal:memory:AGENTS.md",
].map(document);

const routeOf = (rest: Parameters<typeof minedTask>[3], among = documents) =>
  [...routeTasks([minedTask("m-1", "Do it.", ["codex:a"], rest)], among)].flatMap(([id, tasks]) =>
    tasks.length === 0 ? [] : [id],
  );

test("a task teaches the skill that was used, also one that a plugin's name stands before", () => {
  expect(routeOf({ skill: "release" })).toEqual(["skill:release"]);
  expect(routeOf({ skill: "tools:release" })).toEqual(["skill:release"]);
  expect(routeOf({ skill: "review", scope: "personal" })).toEqual(["personal:skill:review"]);
});

test("where no skill was used, or none of that name is there, or two are, it teaches the memory of its scope", () => {
  expect(routeOf({})).toEqual(["memory:AGENTS.md"]);
  expect(routeOf({ scope: "personal" })).toEqual(["personal:memory:AGENTS.md"]);
  expect(routeOf({ skill: "deploy" })).toEqual(["memory:AGENTS.md"]);
  const twice = [...documents, document("personal:skill:release")];
  expect(routeOf({ skill: "release" }, twice)).toEqual(["memory:AGENTS.md"]);
});

test("fault 30: a project's task never edits a personal skill or memory, and the memory is the file that its agent reads", () => {
  expect(routeOf({ skill: "review" })).toEqual(["memory:AGENTS.md"]);
  expect(routeOf({ skill: "release", scope: "personal" })).toEqual(["personal:memory:AGENTS.md"]);
  const personalOnly = documents.filter(({ scope }) => scope === "personal");
  expect(routeOf({ skill: "review" }, personalOnly)).toEqual([]);
  expect(routeOf({}, [document("memory:GEMINI.md")])).toEqual(["memory:GEMINI.md"]);
});

test("every document has an entry", () => {
  expect([...routeTasks([], documents).keys()]).toEqual(documents.map(({ id }) => id));
});
