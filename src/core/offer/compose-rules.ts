import { replacedWords, writtenWords } from "../rules/rule-words.ts";
import { removeRules } from "../rules/prune/remove-rules.ts";
import { compose } from "../rules/compose.ts";
import { editRules, findLearned, readRules, ruleText } from "../rules/learned/learned-block.ts";
import type { Rule } from "../rules/rule.ts";
import { type Skill, mainText, withMainText } from "../skill/skill.ts";
import type { Merged } from "./merge.ts";

interface ComposedRules {
  readonly skill: Skill;
  /** Rules that can't be written there, each with a reason as part of a sentence. */
  readonly unmatched: readonly { readonly rule: Rule; readonly reason: string }[];
}

/** The skill with exactly these rules of a proposal; `all` are the rules that it offers. */
export function composeRules(base: Skill, rules: readonly Rule[], all: readonly Rule[]): ComposedRules {
  const found = rules.flatMap(({ edit }) => (edit.kind === "found" ? [edit] : []));
  if (found.length > 0) return { skill: removeRules(base, found), unmatched: [] };
  if (rules.every(({ edit }) => edit.kind === "learned")) {
    const { text, unmatched } = writeLearned(mainText(base), rules);
    return { skill: text === mainText(base) ? base : withMainText(base, text), unmatched };
  }
  return composeSearched(base, rules, all);
}

/** A text that was written in one go contains rules: it's removed with the first of them. */
function composeSearched(base: Skill, rules: readonly Rule[], all: readonly Rule[]): ComposedRules {
  const [chosen, offered] = [rules, all].map((some) => new Set(some.map(({ id }) => Number(id))));
  const searched = rules.flatMap(({ id, edit }) =>
    edit.kind === "edit" || edit.kind === "text"
      ? [{ number: Number(id), step: 0, change: edit, evidence: [] }]
      : [],
  );
  const complete = searched.filter(
    ({ change }) =>
      change.kind === "edit" || change.holds.every((one) => chosen?.has(one) || !offered?.has(one)),
  );
  // the search itself was allowed to make these changes
  const { skill, held } = compose(base, complete, { allowScripts: true });
  const lost = rules.filter(({ id }) => !held.includes(Number(id)));
  return { skill, unmatched: lost.map((rule) => ({ rule, reason: "it needs a rule that was left out" })) };
}

/** The text with these rules in its learned block. Rules that are already there change nothing. */
function writeLearned(text: string, rules: readonly Rule[]) {
  let written = text;
  const unmatched: { readonly rule: Rule; readonly reason: string }[] = [];
  for (const rule of rules) {
    if (rule.edit.kind !== "learned") continue;
    if (rule.edit.op === "add" && readRules(written).includes(ruleText(rule.edit.text))) continue;
    const edited = editRules(written, rule.edit);
    if (edited.ok) written = edited.text;
    else unmatched.push({ rule, reason: edited.reason });
  }
  return { text: written, unmatched };
}

/** Writes learned rules into the current text; rules that no longer fit are conflicts. */
export function mergeRules(live: string, rules: readonly Rule[]): Merged {
  const { text, unmatched } = writeLearned(live, rules);
  if (unmatched.length === 0) return { kind: "merged", text };
  const line = live.slice(0, findLearned(live)?.start ?? live.length).split("\n").length;
  return {
    kind: "conflict",
    conflicts: unmatched.map(({ rule: { edit }, reason }) => ({
      line,
      base: replacedWords(edit)?.split("\n") ?? [],
      live: [],
      proposed: writtenWords(edit)?.split("\n") ?? [],
      reason,
    })),
  };
}
