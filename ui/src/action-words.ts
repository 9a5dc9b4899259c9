import type { Json } from "../../src/core/json.ts";
import { type StepLook, stepLook, stepWords } from "../../src/core/verdict-words.ts";
import { isRulesGate } from "../../src/report/measured-rules.ts";

/** How a step or a version is called in a run with these settings. */
export const wordsOf = (action: keyof typeof stepWords, settings: Json): StepLook =>
  stepLook(action, isRulesGate(settings));

/** All that a step or a version can be. */
export const actions = Object.keys(stepWords) as readonly (keyof typeof stepWords)[];
