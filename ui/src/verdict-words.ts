import type { RunOverview } from "../../src/report/model.ts";

export interface VerdictWords {
  readonly tone: "good" | "bad" | "open" | "even";
  /** A shape beside the colour. */
  readonly sign: string;
  readonly word: string;
}

/** What a run has come to: its verdict when it has one, else where it stands. */
export function verdictOf({ status, verdict, step, steps }: RunOverview): VerdictWords {
  if (status === "running")
    return { tone: "open", sign: "▸", word: steps > 0 ? `step ${step} of ${steps}` : "running" };
  if (status === "stopped") return { tone: "bad", sign: "■", word: "stopped" };
  if (status === "removed") return { tone: "even", sign: "×", word: "removed" };
  return verdict === undefined ? { tone: "even", sign: "✓", word: "done" } : words[verdict];
}

const words: Readonly<Record<NonNullable<RunOverview["verdict"]>, VerdictWords>> = {
  better: { tone: "good", sign: "▲", word: "better" },
  worse: { tone: "bad", sign: "▼", word: "worse" },
  "no-difference": { tone: "even", sign: "=", word: "no difference" },
  underpowered: { tone: "open", sign: "?", word: "too few tasks to tell" },
  undecided: { tone: "open", sign: "…", word: "undecided" },
  unchanged: { tone: "even", sign: "=", word: "unchanged" },
  "not-tested": { tone: "open", sign: "–", word: "not tested" },
  "not-worse": { tone: "good", sign: "≥", word: "not worse" },
};
