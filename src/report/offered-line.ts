import { writtenWords } from "../core/rules/rule-words.ts";
import { oneLine } from "../core/one-line.ts";
import { ruleText } from "../core/rules/learned/learned-block.ts";
import type { Rule } from "../core/rules/rule.ts";

/** A rule in one line. */
export function offeredLine({ edit, text }: Pick<Rule, "edit" | "text">, most?: number): string {
  const isWhole = edit.kind === "text" && edit.region === undefined;
  const deed = writtenWords(edit) === undefined ? "removed: " : isWhole ? "rewritten as: " : "";
  return oneLine(`${deed}${ruleText(text)}`, most);
}

/** Sorts by points; unmeasured rules come last. */
export const byWorth = (a: Rule, b: Rule): number => pointsOf(b) - pointsOf(a);

function pointsOf({ evidence }: Rule): number {
  const [first] = evidence;
  return first !== undefined && "points" in first ? first.points : -1e9;
}
