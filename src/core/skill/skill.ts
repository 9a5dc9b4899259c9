import type { Files } from "../files.ts";

/** A skill is a set of files with one main file; a single file is a set of one. */
export interface Skill {
  /** The path of the main file, a key of `files`; always text. */
  readonly main: string;
  readonly files: Files;
  /** Paths with the executable bit, sorted. @default none */
  readonly executable?: readonly string[];
}

/**
 * A skill of one text.
 *
 * @example
 * await train({ skill: singleFileSkill("# Desk\n\nAnswer in one sentence.\n"), tasks: "./tasks.jsonl" });
 */
export const singleFileSkill = (text: string, main = "SKILL.md"): Skill => ({
  main,
  files: { [main]: text },
});

/**
 * The text of the main file.
 *
 * @example
 * const run = await train({ skill: "./SKILL.md", tasks: "./tasks.jsonl" });
 * console.log(mainText(run.best.skill));
 */
export const mainText = (skill: Skill): string => skill.files[skill.main] ?? "";

export const withMainText = (skill: Skill, text: string): Skill => ({
  ...skill,
  files: { ...skill.files, [skill.main]: text },
});
