/** A problem in a skill that its text alone shows. */
export interface LintFinding {
  readonly kind: "no-when" | "vague" | "dead-link" | "doubled" | "long" | "hidden";
  /** `SKILL.md:12`: its file and line. */
  readonly place: string;
  readonly text: string;
  /** How to fix it. */
  readonly next: string;
}

/** `SKILL.md:12`: the line of an offset in a file's text. */
export const placeAt = (file: string, text: string, offset: number): string =>
  `${file}:${text.slice(0, offset).split("\n").length}`;
