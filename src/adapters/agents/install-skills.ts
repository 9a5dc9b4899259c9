import type { Files } from "../../core/files.ts";
import type { InstalledSkill } from "../../core/ports/agent.ts";

/** The skills as files under `folder` in the home. */
export function installSkills(
  folder: string,
  skills: readonly InstalledSkill[],
): { readonly files: Files; readonly executable: readonly string[] } {
  const under = (skill: InstalledSkill, path: string) => `${folder}/${skill.name}/${path}`;
  const files = skills.flatMap((skill) =>
    Object.entries(skill.files).map(([path, content]) => [under(skill, path), content] as const),
  );
  return {
    files: Object.fromEntries(files),
    executable: skills.flatMap((skill) => skill.executable.map((path) => under(skill, path))),
  };
}

/** The skill whose SKILL.md appears in a command or path, for agents that load a skill by reading its file. */
export function skillNamedIn(text: string, skills: readonly InstalledSkill[]): string | undefined {
  return skills.find(({ name }) => text.includes(`${name}/SKILL.md`))?.name;
}

/**
 * The skills that a request lists, which proves they were offered. Agents use two forms: `- name: description` and
 * `<name>name</name>`.
 */
export function skillsOfferedIn(request: string, skills: readonly InstalledSkill[]): readonly string[] {
  return skills
    .map(({ name }) => name)
    .filter((name) => request.includes(`- ${name}: `) || request.includes(`<name>${name}</name>`));
}

/** The skill whose text a tool returned, for agents with their own tool for loading skills. */
export function skillTextIn(output: string, skills: readonly InstalledSkill[]): string | undefined {
  return skills.find(({ files }) => {
    const body = (files["SKILL.md"] ?? "").replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, "").trim();
    return body !== "" && output.includes(body.slice(0, 400));
  })?.name;
}
