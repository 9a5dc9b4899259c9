import { expect, test } from "vitest";
import vectors from "../../../test/vectors/skill-hash.json" with { type: "json" };
import { skillHash, skillIdentity } from "./hash.ts";
import { singleFileSkill } from "./skill.ts";

test.each(vectors)("the short hash of vector %#", ({ skill, hash }) => {
  expect(skillHash(skill)).toBe(hash);
});

test("the identity covers which file is main, every path and every text", () => {
  const skill = { main: "SKILL.md", files: { "SKILL.md": "a", "notes.md": "b" } };
  const others = [
    { ...skill, main: "notes.md" },
    { ...skill, files: { ...skill.files, "notes.md": "c" } },
    { ...skill, files: { "SKILL.md": "a", "note.md": "b" } },
    singleFileSkill("a"),
  ];
  const identities = [skill, ...others].map(skillIdentity);
  expect(new Set(identities).size).toBe(5);
  expect(identities.every((identity) => /^[0-9a-f]{64}$/.test(identity))).toBe(true);
});

test("the identity does not depend on the order of files", () => {
  const one = { main: "a.md", files: { "a.md": "1", "b.md": "2" } };
  const other = { main: "a.md", files: { "b.md": "2", "a.md": "1" } };
  expect(skillIdentity(one)).toBe(skillIdentity(other));
});
