import type { Context } from "../context.ts";
import { drawConfirmation } from "../rules/draw-texts.ts";
import { type RuleResult, keptRules, partsOfStep } from "../rules/rule-search.ts";
import type { RuleTable } from "../rules/rule-table.ts";
import type { Rolled } from "../stages/rollout.ts";
import type { Task } from "../tasks/task.ts";
import { makeRuleTable } from "./make-rule-table.ts";
import { measureParts, measurePasses, standingOn } from "./measure-rules.ts";
import type { Standing } from "./standing.ts";

export interface SearchEnd {
  readonly standing: Standing;
  /** What each rule is worth, with the gate `rules`. */
  readonly rules?: RuleTable;
  /** The kept text on val, beside the original; empty where the original stays. */
  readonly confirmed: readonly Rolled[];
  /** Whether the gate's own measurements show that the target varies. */
  readonly isNoisy: boolean;
}

/**
 * What the search hands over. The gate `rules` tries the last proposals some more, then the text that it would keep against the
 * original, task by task; in doubt the original stays.
 */
export async function endSearch(
  standing: Standing,
  val: readonly Task[],
  step: number,
  context: Context,
): Promise<SearchEnd> {
  const { gate } = standing;
  if (gate.kind !== "rules") return { standing, confirmed: [], isNoisy: false };
  if (gate.search.open.length + gate.search.builtIn.length === 0)
    return { standing, rules: makeRuleTable(gate, val), confirmed: [], isNoisy: variesIn(gate.results) };
  const place = { role: "target", step, stage: "confirm" } as const;
  const tried = await measureParts(
    gate,
    partsOfStep(gate.search, gate.search.plan.steps),
    val,
    place,
    context,
  );
  const total = drawConfirmation(tried.gate.search, () => 0).rolls.length;
  const confirmed = await measurePasses(tried.gate, [drawConfirmation], { val, place, total }, context);
  const after = standingOn(confirmed.gate, keptRules(confirmed.gate.search), context);
  return {
    standing: after,
    rules: makeRuleTable(after.gate, val),
    confirmed: confirmed.evaluation.rolled.filter(({ rules = [] }) => rules.length > 0),
    isNoisy: variesIn(after.gate.results),
  };
}

/** The same text came to different scores on the same task. */
function variesIn(results: readonly RuleResult[]): boolean {
  const first = new Map<string, number>();
  return results.some(({ task, rules, score }) => {
    if (score === null) return false;
    const place = `${task} ${rules.join(" ")}`;
    const known = first.get(place);
    first.set(place, known ?? score);
    return known !== undefined && known !== score;
  });
}
