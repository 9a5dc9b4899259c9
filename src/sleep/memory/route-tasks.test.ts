import { expect, test } from "vitest";
import { singleFileSkill } from "../../core/skill/skill.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import { wishOf } from "../../../test/support/wishes.ts";
import { documentsOf, routeTasks, routeWishes } from "./route-tasks.ts";

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

test("a rule goes into what each agent reads that it was told to, and by name into others' files", () => {
  const memory = (id: string, readBy: readonly string[], isAllowed = false) => ({
    ...document(id),
    readBy,
    isAllowed,
  });
  const files = [
    document("skill:release"),
    memory("memory:AGENTS.md", ["codex", "pi"]),
    memory("memory:CLAUDE.md", ["claude-code"]),
    memory("memory:GEMINI.md", ["gemini-cli"], true),
    memory("personal:memory:.codex/AGENTS.md", ["codex"]),
  ];
  const goes = (agents: readonly string[], more: { skill?: string; scope?: "personal" } = {}) =>
    documentsOf({ scope: "project", agents, ...more }, files).map(({ id }) => id);
  expect(goes(["claude-code"])).toEqual(["memory:CLAUDE.md", "memory:GEMINI.md"]);
  expect(goes(["claude-code", "codex", "pi"])).toEqual([
    "memory:AGENTS.md",
    "memory:CLAUDE.md",
    "memory:GEMINI.md",
  ]);
  expect(goes(["gemini-cli"])).toEqual(["memory:GEMINI.md"]);
  expect(goes(["codex"], { skill: "release" })).toEqual(["skill:release"]);
  expect(goes(["claude-code"], { scope: "personal" })).toEqual(["personal:memory:.codex/AGENTS.md"]);
  // of a task in a file nobody knows whom it was told
  expect(goes(["file"])).toEqual(["memory:AGENTS.md", "memory:GEMINI.md"]);
});

test("a skill's rule that agents broke in other words, too, goes into the memory as well", () => {
  const wish = wishOf("Tag it.", { skill: "release", documents: ["skill:release"] });
  const routed = (relapsed: readonly string[]) =>
    routeWishes([{ ...wish, relapsed }], documents, [])[0]?.documents;
  expect(routed(["A"])).toEqual(["skill:release"]);
  expect(routed(["A", "B"])).toEqual(["skill:release", "memory:AGENTS.md"]);
});
