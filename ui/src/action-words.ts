import type { SkillVersion, StepReport } from "../../src/report/model.ts";

export interface ActionWords {
  readonly tone: "good" | "bad" | "open" | "even";
  /** A shape beside the colour. */
  readonly sign: string;
  readonly word: string;
}

/** What a gate did with a candidate. */
export const actionWords: Readonly<Record<StepReport["action"] | SkillVersion["action"], ActionWords>> = {
  original: { tone: "even", sign: "○", word: "the original" },
  guidance: { tone: "even", sign: "✎", word: "guidance" },
  accept_new_best: { tone: "good", sign: "★", word: "new best" },
  accept: { tone: "good", sign: "✓", word: "accepted" },
  reject: { tone: "bad", sign: "✕", word: "rejected" },
  return_to_original: { tone: "open", sign: "↶", word: "back to the original" },
  skip: { tone: "even", sign: "–", word: "skipped" },
  undecided: { tone: "open", sign: "…", word: "undecided" },
};
