/** The name under which a skill's folder is found: `plugin:skill`, `/skill` and `$skill` all name `skill`. */
export const calledSkill = (called: string): string =>
  called.trim().replace(/^[/$]/, "").split(":").at(-1) ?? "";

/** The skills whose SKILL.md a command or a path names, by their folders. */
export const skillsReadIn = (text: string): readonly string[] =>
  [...text.matchAll(/([^/\\\s'"`=*?${}]+)[/\\]SKILL\.md\b/g)].map((match) => match[1] ?? "");
