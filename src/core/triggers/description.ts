import { WhetstoneError } from "../errors.ts";
import { readFrontmatter, withFrontmatterField } from "../skill/frontmatter.ts";
import { type Skill, mainText } from "../skill/skill.ts";

/** The description as an agent sees it: one paragraph. */
export function readDescription(skill: Skill): string {
  const read = readFrontmatter(mainText(skill));
  const { name, description } = "fields" in read ? read.fields : {};
  for (const [field, value] of Object.entries({ name, description })) {
    if (typeof value === "string" && value.trim() !== "") continue;
    throw new WhetstoneError(
      "skill-invalid",
      `${skill.main} has no ${field} in its frontmatter, which agents need to load a skill.`,
      { hint: `Start the file with \`---\`, a line \`${field}: …\`, and \`---\`.` },
    );
  }
  return oneParagraph(String(description));
}

/** The skill with another description; every byte outside that field is unchanged. */
export function withDescription(skill: Skill, description: string): Skill {
  const text = oneParagraph(description);
  if (text === readDescription(skill)) return skill;
  const files = { ...skill.files, [skill.main]: withFrontmatterField(mainText(skill), "description", text) };
  return { ...skill, files };
}

const maxLength = 1024;

/** Why a text can't be a description, by the rules of agents. */
export function findDescriptionProblem(text: string): string | undefined {
  const description = oneParagraph(text);
  if (description === "") return "The description would be empty.";
  if (/[<>]/.test(description)) return "A description may not hold < or >.";
  const length = Array.from(description).length;
  return length > maxLength
    ? `The description would have ${length} characters, of at most ${maxLength}.`
    : undefined;
}

const oneParagraph = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
