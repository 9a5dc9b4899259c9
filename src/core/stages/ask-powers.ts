import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { createFence } from "../prompts/fence.ts";
import { type AskedPower, powersPrompt } from "../prompts/powers.ts";
import { isHandoff } from "../work/handoff.ts";
import { WhetstoneError } from "../errors.ts";
import { askModel } from "./ask-model.ts";
import { joinSections } from "./optimizer-text.ts";

/**
 * What each text asks an agent for, by the optimizer's model. A text that it says nothing of is not in the answer: nobody has
 * looked at it then.
 */
export async function askPowers(
  texts: readonly string[],
  place: Place,
  context: Context,
): Promise<ReadonlyMap<string, readonly AskedPower[]>> {
  const found = new Map<string, readonly AskedPower[]>();
  // who answers by hand reads the proposal anyway, and would wait a round for it
  if (isHandoff(context.models[place.role])) return found;
  for (const batch of inBatches(texts)) {
    const reply = await askModel(powersPrompt, powersQuestion(batch), place, context).catch(orNothing);
    for (const { rule, powers } of reply?.rules ?? []) {
      const text = batch[rule - 1];
      // said twice, it may be said differently: all of it counts
      if (text !== undefined) found.set(text, [...(found.get(text) ?? []), ...powers]);
    }
  }
  return found;
}

/** A model that is away for the moment keeps nobody from what the run has found: a person looks instead. */
function orNothing(error: unknown): undefined {
  if (!(error instanceof WhetstoneError && error.code === "too-many-pending")) throw error;
}

/** As many as a model answers with care. */
export const rulesPerQuestion = 16;

/** Each text once, in the texts of one question each. */
export function inBatches(texts: readonly string[]): readonly (readonly string[])[] {
  const each = [...new Set(texts)];
  return Array.from({ length: Math.ceil(each.length / rulesPerQuestion) }, (_, at) =>
    each.slice(at * rulesPerQuestion, (at + 1) * rulesPerQuestion),
  );
}

export function powersQuestion(texts: readonly string[]): string {
  const fence = createFence(texts);
  return joinSections([
    ...texts.map((text, at) => fence.around(`rule-${at + 1}`, text)),
    `Say of the ${texts.length} rules between the lines with the code ${fence.code} what each asks for, and reply with the one JSON object.`,
  ]);
}
