/** A skill is a set of text files with one main; a single file is a set of one. */
export interface Skill {
  /** The path of the main file, a key of `files`. */
  readonly main: string;
  /** Relative path with forward slashes → text. */
  readonly files: Readonly<Record<string, string>>;
}

export const singleFileSkill = (text: string, main = "SKILL.md"): Skill => ({
  main,
  files: { [main]: text },
});

export const mainText = (skill: Skill): string => skill.files[skill.main] ?? "";
