import { join } from "node:path";
import { expect, test } from "vitest";
import { readCalibration } from "./read-calibration.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

const tasks = [
  { id: "1", input: "?" },
  { id: "letter", input: "?" },
];
const rows = [
  { task: "1", answer: "yes", good: true },
  { task: "letter", answer: "", good: false },
];

test("judged answers are read from rows, JSONL and CSV", async () => {
  const dir = await tempDir({
    "c.jsonl": rows.map((row) => JSON.stringify(row)).join("\n"),
    "c.csv": "task,answer,good\n1,yes,true\nletter,,false\n",
  });
  expect(await readCalibration(undefined, tasks)).toEqual([]);
  expect(await readCalibration(rows, tasks)).toEqual(rows);
  expect(await readCalibration(join(dir, "c.jsonl"), tasks)).toEqual(rows);
  expect(await readCalibration(join(dir, "c.csv"), tasks)).toEqual(rows);
});

test("a broken row, an unknown task and a missing file are named", async () => {
  const broken = [{ task: "1", answer: "x" }] as unknown as typeof rows;
  await expect(readCalibration(broken, tasks)).rejects.toThrow(
    'calibration, row 1: "good" must be true or false.',
  );
  await expect(readCalibration([{ ...rows[1]!, task: "leter" }], tasks)).rejects.toMatchObject({
    message: 'calibration, row 1: unknown task "leter".',
    hint: 'Did you mean "letter"?',
  });
  await expect(readCalibration("/nowhere.jsonl", tasks)).rejects.toMatchObject({ code: "not-found" });
});
