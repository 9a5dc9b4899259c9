import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { remarkLines } from "./format.ts";

test("a guess and a note have their own labels, and long ones are broken between words", () => {
  const lines = [
    ...remarkLines("guess", "skill: SKILL.md", 40),
    ...remarkLines("note", "skill: HUGE.md has about 40002 tokens, so no edit may make it longer.", 40),
  ].map(stripVTControlCharacters);
  expect(lines).toEqual([
    "guess  skill: SKILL.md",
    "note   skill: HUGE.md has about 40002",
    "       tokens, so no edit may make it",
    "       longer.",
  ]);
});
