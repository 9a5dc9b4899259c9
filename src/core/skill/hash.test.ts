import { expect, test } from "vitest";
import vectors from "../../../test/vectors/skill-hash.json" with { type: "json" };
import { shortIdentity, skillHash, skillIdentity } from "./hash.ts";
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

test("executables count, in any order, and a skill without one keeps the identity it always had", () => {
  const skill = { main: "SKILL.md", files: { "SKILL.md": "a", "run.sh": "b", "test.sh": "c" } };
  const identity = "441707fb5376c54de4a6d5dbd4bca121ec95b35b5241c4666cc4991eed525529";
  expect(skillIdentity(skill)).toBe(identity);
  expect(skillIdentity({ ...skill, executable: [] })).toBe(identity);
  const both = skillIdentity({ ...skill, executable: ["run.sh", "test.sh"] });
  expect(both).toBe(skillIdentity({ ...skill, executable: ["test.sh", "run.sh"] }));
  expect(new Set([identity, both, skillIdentity({ ...skill, executable: ["run.sh"] })]).size).toBe(3);
});

test("the short name of one file is that of its text, that of several covers them all", () => {
  expect(shortIdentity(singleFileSkill("a", "AGENTS.md"))).toBe(skillHash("a"));
  const skill = { main: "SKILL.md", files: { "SKILL.md": "a", "notes.md": "b" } };
  expect(shortIdentity(skill)).toBe(skillIdentity(skill).slice(0, 16));
});

test("the identity does not depend on the order of files", () => {
  const one = { main: "a.md", files: { "a.md": "1", "b.md": "2" } };
  const other = { main: "a.md", files: { "b.md": "2", "a.md": "1" } };
  expect(skillIdentity(one)).toBe(skillIdentity(other));
});

test("a skill is read once, however often its identity is asked for", () => {
  let reads = 0;
  const skill = {
    main: "SKILL.md",
    files: {
      get "SKILL.md"() {
        reads += 1;
        return "a";
      },
    },
  };
  const [first, ...more] = [1, 2, 3].map(() => skillIdentity(skill));
  expect(more).toEqual([first, first]);
  expect(first).toBe(skillIdentity(singleFileSkill("a")));
  expect(reads).toBe(1);
});
