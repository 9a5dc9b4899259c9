import type { Json } from "../../src/core/json.ts";
import {
  type StepLook,
  stepLook,
  stepWords,
  type VerdictLook,
  verdictWords,
} from "../../src/core/verdict-words.ts";
import { isRulesGate } from "../../src/report/measured-rules.ts";
import type { RunOverview } from "../../src/report/model.ts";

/** How a step or a version is called in a run with these settings. */
export const wordsOf = (action: keyof typeof stepWords, settings: Json): StepLook =>
  stepLook(action, isRulesGate(settings));

/** All that a step or a version can be. */
export const actions = Object.keys(stepWords) as readonly (keyof typeof stepWords)[];

type ShownVerdict = Pick<VerdictLook, "tone" | "sign" | "word">;

/** What a run has come to: its verdict when it has one, else where it stands. */
export function verdictOf({ status, verdict, step, steps }: RunOverview): ShownVerdict {
  if (status === "running")
    return { tone: "open", sign: "▸", word: steps > 0 ? `step ${step} of ${steps}` : "running" };
  if (status === "stopped") return { tone: "bad", sign: "■", word: "stopped" };
  if (status === "removed") return { tone: "even", sign: "×", word: "removed" };
  return verdict === undefined ? { tone: "even", sign: "✓", word: "done" } : verdictWords[verdict];
}
