import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { said } from "../../core/scorers/score-task.ts";
import { hashScorers, loadCustomScorers, scorerFiles } from "./load-custom-scorers.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

const task = (value: string) => ({ id: "1", input: "?", checks: [{ kind: "custom", value }] });

test("functions of custom checks are loaded by their written name, also from inside a set", async () => {
  const dir = await tempDir({
    "s.ts":
      "export const half = (task: { id: string }, { text }: { text: string }): number => (text === task.id ? 0.5 : 0);\n",
  });
  const set = {
    id: "2",
    input: "?",
    checks: [{ kind: "any", value: { checks: task("./s.ts#half").checks } }],
  };
  const scorers = await loadCustomScorers([set], dir);
  expect([...scorers.keys()]).toEqual(["./s.ts#half"]);
  expect(scorers.get("./s.ts#half")?.(task(""), said("1"))).toBe(0.5);
});

test("a missing file and a missing function are named", async () => {
  const dir = await tempDir({ "s.ts": "export const other = 1;\n" });
  await expect(loadCustomScorers([task("./gone.ts")], dir)).rejects.toThrow("gone.ts, which doesn't exist");
  await expect(loadCustomScorers([task("./s.ts#half")], dir)).rejects.toThrow(
    'a function "half" (it exports other)',
  );
});

test("another text of a scorer is another scorer", async () => {
  const dir = await tempDir({ "s.ts": "export const half = () => 0.5;\n" });
  const tasks = [task("./s.ts#half"), task("./s.ts#half")];
  const before = await hashScorers(tasks, dir);
  expect(Object.keys(before)).toEqual(["./s.ts"]);
  expect(scorerFiles(tasks, dir)).toEqual([join(dir, "s.ts")]);
  await writeFile(join(dir, "s.ts"), "export const half = () => 0.4;\n");
  expect(await hashScorers(tasks, dir)).not.toEqual(before);
});

test("a function given in code is meant by its name, and hashed by its source", async () => {
  const folder = await tempDir();
  const polite = () => true;
  const given = { polite };
  const tasks = [task("polite")];
  expect((await loadCustomScorers(tasks, folder, given)).get("polite")).toBe(polite);
  expect(scorerFiles(tasks, folder, given)).toEqual([]);
  const [hash, other] = [
    await hashScorers(tasks, folder, given),
    await hashScorers(tasks, folder, { polite: () => false }),
  ];
  expect(hash).toEqual({ polite: expect.stringMatching(/^[0-9a-f]{16}$/) });
  expect(other).not.toEqual(hash);
  await expect(loadCustomScorers([task("rude")], folder, given)).rejects.toMatchObject({
    code: "not-found",
    hint: expect.stringContaining("scorers given in code: polite"),
  });
});
