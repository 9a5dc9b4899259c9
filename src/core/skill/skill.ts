import type { Files } from "../files.ts";

/** A skill is a set of files with one main; a single file is a set of one. */
export interface Skill {
  /** The path of the main file, a key of `files`; always text. */
  readonly main: string;
  readonly files: Files;
  /** Paths that have the executable bit, sorted. @default none */
  readonly executable?: readonly string[];
}

/** A skill of one text. */
export const singleFileSkill = (text: string, main = "SKILL.md"): Skill => ({
  main,
  files: { [main]: text },
});

/** The text of the main file. */
export const mainText = (skill: Skill): string => skill.files[skill.main] ?? "";

export const withMainText = (skill: Skill, text: string): Skill => ({
  ...skill,
  files: { ...skill.files, [skill.main]: text },
});
