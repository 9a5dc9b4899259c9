/** Something in a skill that a reader of its text alone can see is wrong. */
export interface LintFinding {
  readonly kind: "no-when" | "vague" | "dead-link" | "doubled" | "long" | "hidden";
  /** `SKILL.md:12`: its file and line. */
  readonly place: string;
  readonly text: string;
  /** A better shape. */
  readonly next: string;
}
