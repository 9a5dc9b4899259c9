import type { Resolved } from "../../config/resolve/resolved.ts";
import { taskFacts } from "../../core/gate/default-gate.ts";
import { chooseGate } from "../../core/loop/gates.ts";
import type { Journal } from "../../core/ports/journal.ts";
import { type SearchOdds, oddsSentence } from "../../core/rules/search-odds.ts";
import { knownScore } from "./sealed-power.ts";

/**
 * The odds of a training before it begins; undefined for a gate that wasn't simulated, or if train and val share tasks, as no
 * simulated world did. Also undefined if most tasks have several checks, because in worlds with such tasks the optimizer
 * nearly always finds the missing rule.
 */
export async function expectedGain(
  resolved: Resolved,
  steps: number,
  journal: Journal | undefined,
): Promise<(SearchOdds & { readonly sentence: string }) | undefined> {
  const { settings, splits } = resolved;
  const gate = chooseGate(settings, resolved.gate);
  const { val, tasks, severalChecks, shared } = taskFacts(splits);
  if (gate.odds === undefined || steps === 0 || shared === true || 2 * severalChecks > tasks)
    return undefined;
  const facts = { val, steps, base: await knownScore(resolved, journal) };
  const odds = gate.odds(facts);
  return { ...odds, sentence: oddsSentence(facts, odds) };
}
