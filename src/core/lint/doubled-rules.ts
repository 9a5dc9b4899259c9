import { readLikeness, wordLikeness } from "../likeness.ts";
import { type SkillPart, findRules } from "../rules/prune/find-rules.ts";
import type { Skill } from "../skill/skill.ts";
import type { LintFinding } from "./lint-finding.ts";

/** Rules that say the same twice: they cost their tokens twice, and once one of them changes they say two things. */
export function findDoubledRules(skill: Skill): readonly LintFinding[] {
  const rules = findRules(skill)
    .filter(({ text }) => !/^\s*(?:```|~~~|\|)/.test(text))
    .map((rule) => ({
      ...rule,
      // two addresses of one site have most of their words in common
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
      text: `says again what ${first.id} says`,
      next: `Keep the better one of the two, with whatever only the other says; about ${rule.tokens} tokens less.`,
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
  // the same few words may stand in an item of each of two lists
  if (alike === 1) return least >= 2;
  return least >= (alike >= allShared ? fewestTopics - 1 : fewestTopics) && alike >= sameShare;
}

const [fewestTopics, sameShare, allShared] = [4, 0.7, 0.99];

const forbids = /\b(?:not|never|no|don['’]?t|avoid|without|nor|cannot|can['’]?t)\b/i;
