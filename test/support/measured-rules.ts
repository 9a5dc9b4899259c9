import { searchedRules } from "../../src/core/rules/searched-rules.ts";
import { compose } from "../../src/core/rules/compose.ts";
import { type Change, type SearchRule, wordsOfRule, ruleTokens } from "../../src/core/rules/search-rule.ts";
import type { MeasuredRule } from "../../src/core/rules/rule-table.ts";
import { type Skill, singleFileSkill } from "../../src/core/skill/skill.ts";

/** A search that is over: what it began with, what it found out, and the text that it ended with. */
export const originalDesk: Skill = singleFileSkill(
  "---\nname: parcel-desk\ndescription: Answers for the parcel desk.\n---\n# Parcel desk\n\n- Be brief.\n- Greet people by name.\n",
);

const edit = (op: "append" | "replace", content: string, target?: string): Change => ({
  kind: "edit",
  edit: { op, content, ...(target === undefined ? {} : { target }), evidence: [] },
});

const beesFound: Partial<MeasuredRule> = {
  points: 3.9,
  sd: 1.1,
  p: 0.031,
  without: 1.2,
  alike: [6],
  groups: [{ name: "bees", points: 31 }],
};

const tried: readonly (readonly [change: Change, found: Partial<MeasuredRule>])[] = [
  [edit("append", "- Write dates as 2026-01-31."), { points: 6.2, sd: 1.3, p: 0.0005, without: 6.2 }],
  [
    edit("append", "- Keep the tone friendly when a note is about sheet music."),
    { state: "given-up", points: -0.4, sd: 1.1 },
  ],
  [
    edit("replace", "Answer in at most three sentences.", "Be brief."),
    { op: "replace", points: 2.4, sd: 1.2 },
  ],
  [
    edit("append", "- All dates are written as 2026-01-31."),
    { state: "repeated", of: 1, points: 6.2, sd: 1.3, rollouts: 0, ofRollouts: 0 },
  ],
  [edit("append", "- Thank people for their patience."), { state: "dropped", points: 0.3, sd: 0.8 }],
  [
    { kind: "text", region: "slow-update", text: "Look up the shelf code before you answer.", holds: [] },
    { op: "guidance", points: 1.1, sd: 0.9 },
  ],
  [edit("replace", "and times by ISO 8601", "as 2026-01-31"), { op: "replace", of: 1, points: 1.5, sd: 1 }],
  [edit("append", "- Never mention shelf codes."), { state: "given-up", points: -3.1, sd: 1.2 }],
  [edit("append", "- Parcels of live bees get shelf code A-123."), beesFound],
];

const reasons = {
  kept: "it is expected to be worth its tokens",
  dropped: "it may help, but not enough for its tokens",
  "given-up": "it does not help",
  repeated: "rule 1 says it already",
} as const;

const rules = tried.map(([change], at): SearchRule => {
  const number = at + 1;
  return { number, step: Math.ceil(number / 3), change, evidence: ["t03", "t07"].slice(0, 1 + (at % 2)) };
});

const measured = tried.map(([, found], at): MeasuredRule => {
  const rule = rules[at] as SearchRule;
  const { state = "kept", points = 0, sd = 1, helps = points > 2 * sd ? 0.97 : 0.4 } = found;
  return {
    rule: rule.number,
    step: rule.step,
    file: originalDesk.main,
    op: "append",
    text: wordsOfRule(rule),
    state,
    reason: reasons[state],
    points,
    sd,
    helps,
    low: points - 1.96 * sd,
    high: points + 1.96 * sd,
    tokens: ruleTokens(rule, originalDesk),
    rollouts: 212 - 10 * at,
    ofRollouts: 420 - 20 * at,
    evidence: rule.evidence,
    source: "failure",
    ...found,
  };
});

const table = { original: 0.52, rules: measured };
const kept = rules.filter((_, at) => measured[at]?.state === "kept");

/** What a search found out about its rules, and those of them that a proposal offers. */
export const foundRules = { table, kept, offered: searchedRules({ kept, table }), baseline: table.original };

export const trainedDesk: Skill = compose(originalDesk, foundRules.kept).skill;
