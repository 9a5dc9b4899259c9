import { editRules, findLearned, readRules, ruleText } from "../rules/learned/learned-block.ts";
import type { ChosenRule } from "./review.ts";
import type { Merged } from "./merge.ts";

export interface Composed {
  readonly text: string;
  /** Rules that cannot be written there, each with why, as a part of a sentence. */
  readonly unmatched: readonly { readonly rule: ChosenRule; readonly reason: string }[];
}

/** The document's text with exactly these rules. One that stands there already is no change. */
export function composeProposal(text: string, rules: readonly ChosenRule[]): Composed {
  let composed = text;
  const unmatched: { readonly rule: ChosenRule; readonly reason: string }[] = [];
  for (const rule of rules) {
    if (rule.edit.op === "add" && readRules(composed).includes(ruleText(rule.edit.text))) continue;
    const edited = editRules(composed, rule.edit);
    if (edited.ok) composed = edited.text;
    else unmatched.push({ rule, reason: edited.reason });
  }
  return { text: composed, unmatched };
}

/** The same for the text as it is now; what does not fit any more is a conflict. */
export function mergeRules(live: string, rules: readonly ChosenRule[]): Merged {
  const { text, unmatched } = composeProposal(live, rules);
  if (unmatched.length === 0) return { kind: "merged", text };
  const line = live.slice(0, findLearned(live)?.start ?? live.length).split("\n").length;
  return {
    kind: "conflict",
    conflicts: unmatched.map(({ rule: { edit }, reason }) => ({
      line,
      base: edit.op === "add" ? [] : edit.target.split("\n"),
      live: [],
      proposed: edit.op === "delete" ? [] : edit.text.split("\n"),
      reason,
    })),
  };
}
