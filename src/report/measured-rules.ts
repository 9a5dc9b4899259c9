import { type Json, isObject } from "../core/json.ts";
import { oneLine } from "../core/one-line.ts";
import { type MeasuredRule, type RuleTable, helpShownFrom } from "../core/rules/rule-table.ts";
import { ruleText } from "../core/rules/learned/learned-block.ts";
import { measuresRules } from "../core/gate/gate-names.ts";

/** The table of measured rules, if the summary of a run has one. */
export function measuredRules(summary: Json | undefined): RuleTable | undefined {
  const table = isObject(summary) ? summary["rules"] : undefined;
  return isObject(table) && Array.isArray(table["rules"]) ? (table as unknown as RuleTable) : undefined;
}

/** Whether a run's gate measures rules one by one. */
export const isRulesGate = (settings: Json): boolean => isObject(settings) && measuresRules(settings["gate"]);

/** The rules in the text, then those that were tried but aren't; each group sorted by points. */
export function sortRules(rules: readonly MeasuredRule[]): {
  readonly kept: readonly MeasuredRule[];
  readonly out: readonly MeasuredRule[];
} {
  const isUnmeasured = ({ rollouts }: MeasuredRule) => Number(rollouts === 0);
  const sorted = rules.toSorted(
    (a, b) => isUnmeasured(a) - isUnmeasured(b) || b.points - a.points || a.rule - b.rule,
  );
  return {
    kept: sorted.filter(({ state }) => state === "kept"),
    out: sorted.filter(({ state }) => state !== "kept"),
  };
}

/** `shown`, or the chance that the rule is worth half a point or more. */
export const helpsText = ({ helps }: Pick<MeasuredRule, "helps">): string =>
  helps >= helpShownFrom ? "shown" : `${Math.round(100 * helps)}%`;

/** A rule's effect, in one line. */
export function ruleLine({ op, of, text }: Pick<MeasuredRule, "op" | "of" | "text">, most?: number): string {
  const deed = op === "delete" ? "removed: " : op === "rewrite" ? "rewritten as: " : "";
  const place = op === "replace" && of !== undefined ? `in rule ${of}: ` : "";
  return oneLine(`${deed}${place}${ruleText(text)}`, most);
}
