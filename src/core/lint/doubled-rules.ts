import { readLikeness, wordLikeness } from "../likeness.ts";
import { type SkillPart, findRules } from "../rules/prune/find-rules.ts";
import type { Skill } from "../skill/skill.ts";
import type { LintFinding } from "./lint-finding.ts";

/** Finds repeated rules: they cost tokens twice, and contradict each other once only one of them changes. */
export function findDoubledRules(skill: Skill): readonly LintFinding[] {
  const rules = findRules(skill)
    .filter(({ text }) => !/^\s*(?:```|~~~|\|)/.test(text))
    .map((rule) => ({
      ...rule,
      // two addresses on one site share most of their words
      words: readLikeness(rule.text.replaceAll(/https?:\/\/[^\s`)>]+/g, " ")),
      isForbidding: forbids.test(rule.text),
    }));
  const findings: LintFinding[] = [];
  for (const [at, rule] of rules.entries()) {
    const first = rules.slice(0, at).find((earlier) => sayTheSame(earlier, rule));
    if (first === undefined) continue;
    findings.push({
      kind: "doubled",
      place: rule.id,
      text: `repeats ${first.id}`,
      next: `Keep the better of the two, and add anything only the other says. Saves about ${rule.tokens} tokens.`,
    });
  }
  return findings;
}

interface ReadRule extends SkillPart {
  readonly words: ReturnType<typeof readLikeness>;
  readonly isForbidding: boolean;
}

function sayTheSame(a: ReadRule, b: ReadRule): boolean {
  if (a.isForbidding !== b.isForbidding || a.words.values !== b.words.values) return false;
  const least = Math.min(a.words.topics.size, b.words.topics.size);
  const alike = wordLikeness(a.words, b.words);
  // items of two lists may share the same few words
  if (alike === 1) return least >= 2;
  return least >= (alike >= allShared ? fewestTopics - 1 : fewestTopics) && alike >= sameShare;
}

const [fewestTopics, sameShare, allShared] = [4, 0.7, 0.99];

const forbids = /\b(?:not|never|no|don['’]?t|avoid|without|nor|cannot|can['’]?t)\b/i;
