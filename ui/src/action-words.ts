import type { Json } from "../../src/core/json.ts";
import { ruleStepWords } from "../../src/core/verdict-words.ts";
import { isRulesGate } from "../../src/report/measured-rules.ts";
import type { SkillVersion, StepReport } from "../../src/report/model.ts";

export interface ActionWords {
  readonly tone: "good" | "bad" | "open" | "even";
  /** A shape beside the colour. */
  readonly sign: string;
  readonly word: string;
}

type Action = StepReport["action"] | SkillVersion["action"];

/** What a gate did with a candidate. */
const actionWords: Readonly<Record<Action, ActionWords>> = {
  original: { tone: "even", sign: "○", word: "the original" },
  guidance: { tone: "even", sign: "✎", word: "guidance" },
  accept_new_best: { tone: "good", sign: "★", word: "new best" },
  accept: { tone: "good", sign: "✓", word: "accepted" },
  reject: { tone: "bad", sign: "✕", word: "rejected" },
  return_to_original: { tone: "open", sign: "↶", word: "back to the original" },
  skip: { tone: "even", sign: "–", word: "skipped" },
  undecided: { tone: "open", sign: "…", word: "undecided" },
};

/** All that a step or a version can be. */
export const actions = Object.keys(actionWords) as readonly Action[];

/** Where rules are measured one by one, no candidate is taken or turned down: the text changes, or stays. */
export function wordsOf(action: Action, settings: Json): ActionWords {
  const words: Readonly<Partial<Record<string, string>>> = isRulesGate(settings) ? ruleStepWords : {};
  const word = words[action];
  if (word === undefined) return actionWords[action];
  return action === "reject" ? { tone: "even", sign: "=", word } : { tone: "good", sign: "✓", word };
}
