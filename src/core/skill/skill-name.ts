import { readFrontmatter } from "./frontmatter.ts";
import { withoutFrontmatter } from "./regions.ts";
import { type Skill, mainText } from "./skill.ts";

const mostCharacters = 80;

/** What people call a skill: the name in its frontmatter, else its first heading. */
export function skillName(skill: Skill): string | undefined {
  const text = mainText(skill);
  const frontmatter = readFrontmatter(text);
  const field = frontmatter.kind === "read" ? frontmatter.fields["name"] : undefined;
  const [, heading] = /^#{1,3}[ \t]+(\S.*?)[ \t]*$/m.exec(withoutFrontmatter(text)) ?? [];
  const name = typeof field === "string" && field.trim() !== "" ? field.trim() : heading;
  return name === undefined ? undefined : Array.from(name).slice(0, mostCharacters).join("");
}
