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

/** The word for a step or a version in a run with these settings. */
export const wordsOf = (action: keyof typeof stepWords, settings: Json): StepLook =>
  stepLook(action, isRulesGate(settings));

/** Every action of a step or a version. */
export const actions = Object.keys(stepWords) as readonly (keyof typeof stepWords)[];

type ShownVerdict = Pick<VerdictLook, "tone" | "sign" | "word">;

/** A run's verdict if it has one, else its progress. */
export function verdictOf({ status, verdict, step, steps }: RunOverview): ShownVerdict {
  if (status === "running")
    return { tone: "open", sign: "▸", word: steps > 0 ? `step ${step} of ${steps}` : "running" };
  if (status === "stopped") return { tone: "bad", sign: "■", word: "stopped" };
  if (status === "removed") return { tone: "even", sign: "×", word: "removed" };
  return verdict === undefined ? { tone: "even", sign: "✓", word: "done" } : verdictWords[verdict];
}
