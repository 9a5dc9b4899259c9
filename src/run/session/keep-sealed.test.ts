import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Task } from "../../core/tasks/task.ts";
import { keepSealed } from "./keep-sealed.ts";

const task: Task = { id: "a", input: "?" };

test("files of test tasks are listed once each, by their way from the journal", async () => {
  const folder = await tempDir();
  const journalDir = join(folder, ".whetstone");
  const list = join(journalDir, "sealed.json");
  const keep = (test: readonly Task[], ...except: readonly string[]) =>
    keepSealed({ journalDir, splits: { train: [task], val: [task], test }, skillList: { except } });
  await keep([], join(folder, "tasks.jsonl"));
  expect(existsSync(list)).toBe(false);
  await keep([task], join(folder, "tasks.jsonl"), join(folder, "tasks.jsonl"));
  await keep([task], join(folder, "evals"), join(folder, "grade.ts"));
  await keep([task], join(folder, "grade.ts"));
  expect(JSON.parse(readFileSync(list, "utf8"))).toEqual({
    v: 1,
    files: ["../evals", "../grade.ts", "../tasks.jsonl"],
  });
  // whoever deletes it opens them until the next run
  rmSync(list);
  await keep([task], join(folder, "tasks.jsonl"));
  expect(JSON.parse(readFileSync(list, "utf8"))).toEqual({ v: 1, files: ["../tasks.jsonl"] });
});
