import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Task } from "../../core/tasks/task.ts";
import { keepSealed } from "./keep-sealed.ts";

const task: Task = { id: "a", input: "?" };

test("a file of test tasks that changed since an earlier run is named, in every execution of the run", async () => {
  const folder = await tempDir({ "tasks.jsonl": "{}\n", "grade.ts": "1", "evals/a.md": "" });
  const journalDir = join(folder, "state");
  const except = ["tasks.jsonl", "grade.ts", "evals", "gone.ts"].map((name) => join(folder, name));
  const keep = (run: string, test: readonly Task[] = [task]) =>
    keepSealed(run, { journalDir, splits: { train: [task], val: [task], test }, skillList: { except } });
  expect(await keep("1111111111", [])).toBe("");
  expect(existsSync(journalDir)).toBe(false);
  expect([await keep("1111111111"), await keep("2222222222")]).toEqual(["", ""]);
  writeFileSync(join(folder, "grade.ts"), "2");
  const said = " Sealed files changed: grade.ts (since run 11111111).";
  expect([await keep("3333333333"), await keep("3333333333")]).toEqual([said, said]);
  expect(await keep("4444444444")).toBe("");
  // without what was kept, nothing is known
  rmSync(join(journalDir, "sealed.json"));
  writeFileSync(join(folder, "tasks.jsonl"), "{ }\n");
  expect(await keep("5555555555")).toBe("");
});
