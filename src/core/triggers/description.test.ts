import fc from "fast-check";
import { expect, test } from "vitest";
import { type Skill, mainText } from "../skill/skill.ts";
import { findDescriptionProblem, readDescription, withDescription } from "./description.ts";

const body = "\n# Forms\n\nDescription: not this one.\n---\ndescription: nor this\n";
const folder = (head: string): Skill => ({
  main: "SKILL.md",
  files: { "SKILL.md": `---\n${head}\n---\n${body}`, "scripts/run.sh": "echo 1\n" },
});
const skill = folder("name: forms\ndescription: Fills in forms.\nlicense: MIT");

test("the description is read as one paragraph", () => {
  expect(readDescription(skill)).toBe("Fills in forms.");
  expect(readDescription(folder("name: a\ndescription: >-\n  two\n  lines"))).toBe("two lines");
  expect(readDescription(folder("name: a\ndescription: |\n  two\n\n  lines\n"))).toBe("two lines");
});

test("a skill without description or name is refused with the next step", () => {
  const refused = (given: Skill) => {
    try {
      readDescription(given);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expect(refused(folder("name: a"))).toMatchObject({
    code: "skill-invalid",
    hint: expect.stringContaining("description: …"),
  });
  expect(refused(folder("description: x"))).toMatchObject({
    code: "skill-invalid",
    hint: expect.stringContaining("name: …"),
  });
  expect(refused({ main: "SKILL.md", files: { "SKILL.md": "plain text" } })).toMatchObject({
    code: "skill-invalid",
  });
});

test("the same description leaves the skill the same object", () => {
  expect(withDescription(skill, " Fills in\n\nforms.\n")).toBe(skill);
});

test("any description can be written, and every byte outside it stays", () => {
  const texts = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 200 })
    .map((text) =>
      text
        .replaceAll(/\p{C}|\p{Z}|\s/gu, " ")
        .replaceAll(/ +/g, " ")
        .trim(),
    )
    .filter((text) => findDescriptionProblem(text) === undefined);
  fc.assert(
    fc.property(texts, (text) => {
      const changed = withDescription(skill, text);
      expect(readDescription(changed)).toBe(text);
      expect(mainText(changed).endsWith(`license: MIT\n---\n${body}`)).toBe(true);
      expect(mainText(changed).startsWith("---\nname: forms\n")).toBe(true);
      expect({ ...changed.files, "SKILL.md": "" }).toEqual({ ...skill.files, "SKILL.md": "" });
    }),
  );
});

test("a description is not empty, has at most 1024 characters, and holds neither < nor >", () => {
  expect(findDescriptionProblem("a".repeat(1024))).toBeUndefined();
  expect(findDescriptionProblem("🙂".repeat(1024))).toBeUndefined();
  expect(findDescriptionProblem("a".repeat(1025))).toContain("1025 characters");
  expect(findDescriptionProblem(" \n ")).toContain("empty");
  expect(findDescriptionProblem("Use <b>now</b>")).toContain("< or >");
});
