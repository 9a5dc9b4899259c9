import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkedFile } from "./checked-file.ts";

const newPath = () => join(mkdtempSync(join(tmpdir(), "whetstone-checked-")), "sleep", "state.json");

test("what was written comes back, and nothing comes back from nowhere", async () => {
  const file = checkedFile<{ readonly nights: number }>(newPath(), "restore it");
  expect(file.read()).toBeUndefined();
  await file.write({ nights: 3 });
  expect(file.read()).toEqual({ nights: 3 });
});

test("fault 21: what nights keep is readable by its owner alone", async () => {
  const file = checkedFile(newPath(), "restore it");
  await file.write({ words: "of a conversation" });
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(statSync(join(file.path, "..")).mode & 0o777).toBe(0o700);
});

test.each([
  ["cut off", (text: string) => text.slice(0, -9)],
  ["emptied", () => ""],
  ["changed", (text: string) => text.replace("3", "0")],
])("fault 29: a state that was %s is an error, not night 0 with an empty memory", async (_, damage) => {
  const file = checkedFile<{ readonly nights: number }>(newPath(), "Put back your copy.");
  await file.write({ nights: 3 });
  writeFileSync(file.path, damage(readFileSync(file.path, "utf8")));
  expect(() => file.read()).toThrow(
    expect.objectContaining({ code: "state-damaged", hint: "Put back your copy." }),
  );
});
