import type { Json } from "../../src/core/json.ts";
import { type StepLook, type stepWords, stepLook } from "../../src/core/verdict-words.ts";
import { isRulesGate } from "../../src/report/measured-rules.ts";

/** How a step or a version is called in a run with these settings. */
export const wordsOf = (action: keyof typeof stepWords, settings: Json): StepLook =>
  stepLook(action, isRulesGate(settings));
