/** Something in a skill that a reader of its text alone can see is wrong. */
export interface LintFinding {
  readonly kind: "no-when" | "vague" | "dead-link" | "doubled" | "long" | "hidden";
  /** `SKILL.md:12`: its file and line. */
  readonly place: string;
  readonly text: string;
  /** A better shape. */
  readonly next: string;
}

/** `SKILL.md:12`: where an offset of a file's text is, in lines. */
export const placeAt = (file: string, text: string, offset: number): string =>
  `${file}:${text.slice(0, offset).split("\n").length}`;
