import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

test("a mistyped word finds the one that was meant", () => {
  const known = ["answers", "checks", "input", "metadata"];
  expect(nearestWord("anwsers", known)).toBe("answers");
  expect(nearestWord("check", known)).toBe("checks");
  expect(nearestWord("MetaData", known)).toBe("metadata");
});

test("another word finds nothing", () => {
  expect(nearestWord("difficulty", ["answers", "id"])).toBeUndefined();
  expect(nearestWord("x", [])).toBeUndefined();
});
