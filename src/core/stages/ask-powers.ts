import type { Context } from "../context.ts";
import { WhetstoneError } from "../errors.ts";
import type { Place } from "../place.ts";
import { createFence } from "../prompts/fence.ts";
import { type NamedPower, powersPrompt } from "../prompts/powers.ts";
import { isHandoff } from "../work/handoff.ts";
import { askModel } from "./ask-model.ts";
import { joinSections } from "./optimizer-text.ts";

/** As many as a model answers carefully. */
export const rulesPerQuestion = 16;

/** Asks a model which powers each text asks an agent to use. A text missing from the answer hasn't been looked at. */
export async function askPowers(
  texts: readonly string[],
  place: Place,
  context: Context,
): Promise<ReadonlyMap<string, readonly NamedPower[]>> {
  const found = new Map<string, readonly NamedPower[]>();
  const each = [...new Set(texts)].filter((text) => text !== "");
  // a person who answers by hand reads the proposal anyway, and would have to wait another round
  const end = isHandoff(context.models[place.role]) ? 0 : each.length;
  for (let at = 0; at < end; at += rulesPerQuestion) {
    const batch = each.slice(at, at + rulesPerQuestion);
    const fence = createFence(batch);
    const question = joinSections([
      ...batch.map((text, nth) => fence.around(`rule-${nth + 1}`, text)),
      `Say of the ${batch.length} rules between the lines with the code ${fence.code} what each asks for, and reply with the one JSON object.`,
    ]);
    const reply = await askModel(powersPrompt, question, place, context).catch(orNothing);
    for (const { rule, powers } of reply?.rules ?? []) {
      const text = batch[rule - 1];
      // if a text is answered twice with different results, all of them count
      if (text !== undefined) found.set(text, [...(found.get(text) ?? []), ...powers]);
    }
  }
  return found;
}

/** A temporarily unavailable model doesn't block the run's results: a person looks instead. */
function orNothing(error: unknown): undefined {
  if (!(error instanceof WhetstoneError && error.code === "too-many-pending")) throw error;
}
