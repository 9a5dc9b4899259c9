import { expect, test } from "vitest";
import { singleFileSkill } from "../core/skill/skill.ts";
import { rolloutsOf } from "./rollouts-of.ts";
import type { ResultSet, RunFolder } from "./run-folder.ts";
import { taskTables } from "./task-reports.ts";
import { listVersions } from "./versions.ts";

const mixed = (
  rows: readonly (readonly [id: string, hard: number, rules: readonly number[]])[],
): ResultSet => ({
  name: "steps/step_0000/selection_eval",
  stage: "evaluate",
  step: 1,
  ids: rows.map(([id]) => id),
  trial: rows.map(() => 0),
  hard: rows.map(([, hard]) => hard),
  soft: rows.map(([, hard]) => hard),
  inputs: new Map(),
  rules: rows.map(([, , rules]) => rules),
});

const read = (set: ResultSet) => {
  const folder: RunFolder = {
    splits: { train: [], val: ["a", "b"], test: [] },
    original: singleFileSkill("a"),
    steps: [],
    epochs: [],
    results: [set],
  };
  return taskTables(folder, listVersions(folder));
};

test("rollouts with rules of their own belong to no version, and each knows its rules", () => {
  const tables = read(
    mixed([
      ["a", 0, []],
      ["b", 1, [3, 7]],
      ["a", 1, [3, 7]],
    ]),
  );
  expect(tables.evaluations[0]).toMatchObject({ version: -3, texts: [[], [3, 7]], text: [0, 1, 1] });
  expect(rolloutsOf(tables, 0).map(({ rules }) => rules)).toEqual([[], [3, 7]]);
});

test("a task is flaky when one text comes out both ways, and not when two texts do", () => {
  const flags = (first: readonly number[], second: readonly number[]) =>
    read(
      mixed([
        ["a", 0, first],
        ["a", 1, second],
      ]),
    ).tasks[0]?.flags;
  expect(flags([1], [1, 2])).toEqual([]);
  expect(flags([1, 2], [1, 2])).toEqual(["flaky"]);
});
