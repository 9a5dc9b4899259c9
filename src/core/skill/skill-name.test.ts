import { expect, test } from "vitest";
import { singleFileSkill } from "./skill.ts";
import { skillName } from "../tasks/describe-skill.ts";

const nameOf = (text: string) => skillName(singleFileSkill(text));

test("a skill is called by its frontmatter's name, else by its first heading", () => {
  expect(nameOf("---\nname: invoice\ndescription: d\n---\n# Reading invoices\n")).toBe("invoice");
  expect(nameOf("---\ndescription: d\n---\n\n# Reading invoices\n\n## More\n")).toBe("Reading invoices");
});

test("a skill without either has no name", () => {
  expect(nameOf("Always answer in one word.\n")).toBeUndefined();
  expect(nameOf("---\nname: [a\n---\ntext\n")).toBeUndefined();
});
