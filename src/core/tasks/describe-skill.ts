import { isBinary } from "../files.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { readDescription } from "../triggers/description.ts";
import { skillText } from "./chat-environment.ts";
import { readFrontmatter } from "../skill/frontmatter.ts";
import { withoutFrontmatter } from "../skill/regions.ts";

/** A skill, and how it reaches the target. */
export interface SkillUse {
  readonly skill: Skill;
  readonly track: "body" | "description";
  readonly isAgent: boolean;
  /** The environment's name. */
  readonly environment: string;
}

/** Says how large a skill is and where it goes: "SKILL.md and 2 files, 3,330 characters in every prompt". */
export function describeSkill({ skill, track, isAgent, environment }: SkillUse): string {
  const { main, files } = skill;
  const others = Object.keys(files).length - 1;
  const what = others === 0 ? main : `${main} and ${others === 1 ? "1 file" : `${others} files`}`;
  if (track === "description")
    return isAgent
      ? `the description of ${main}, ${count(readDescription(skill))}, for the agent to choose by`
      : `the description of ${main}, ${count(readDescription(skill))} in every prompt`;
  const texts = Object.values(files).filter((content) => !isBinary(content));
  if (isAgent)
    return main === "SKILL.md"
      ? `${what}, ${count(texts.join(""))}, installed for the agent to load`
      : `${main}, ${count(files[main] ?? "")} in the agent's standing instructions`;
  if (environment === "chat") return `${what}, ${count(skillText(skill))} in every prompt`;
  return `${what}, ${count(texts.join(""))}`;
}

const count = (text: string): string => `${text.length.toLocaleString("en-US")} characters`;

const mostCharacters = 80;

/** A skill's name for people: the name in its frontmatter, else its first heading. */
export function skillName(skill: Skill): string | undefined {
  const text = mainText(skill);
  const frontmatter = readFrontmatter(text);
  const field = frontmatter.kind === "read" ? frontmatter.fields["name"] : undefined;
  const [, heading] = /^#{1,3}[ \t]+(\S.*?)[ \t]*$/m.exec(withoutFrontmatter(text)) ?? [];
  const name = typeof field === "string" && field.trim() !== "" ? field.trim() : heading;
  return name === undefined ? undefined : Array.from(name).slice(0, mostCharacters).join("");
}
