import { isBinary } from "../files.ts";
import { readFrontmatter } from "../skill/frontmatter.ts";
import { withoutFrontmatter } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { surfaceOf } from "../skill/surface.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import type { LintFinding } from "./lint-finding.ts";

/** Estimated tokens of a skill's texts, by when they are read. */
export interface TextPrices {
  /** With every prompt, whether the skill is used or not. */
  readonly always: number;
  /** Once it is loaded. */
  readonly loaded: number;
  /** All references together, each only when it is opened. */
  readonly references: number;
}

/** What the texts cost, and those that cost too much for where they stand. */
export function findPrices(skill: Skill): {
  readonly prices: TextPrices;
  readonly findings: readonly LintFinding[];
} {
  const isSkill = skill.main === "SKILL.md";
  const body = estimateTokens(withoutFrontmatter(mainText(skill)).trim());
  const prices = {
    // an agent is told name and description of every skill; standing instructions are in every prompt whole
    always: isSkill ? estimateTokens(headText(skill)) : body,
    loaded: isSkill ? body : 0,
    references: Object.entries(skill.files)
      .filter(([path, text]) => surfaceOf(path, skill) === "reference" && !isBinary(text))
      .reduce((all, [, text]) => all + estimateTokens(text), 0),
  };
  const findings = [
    ...(isSkill && prices.always > mostHead
      ? [
          {
            text: `the description costs ${prices.always} tokens with every prompt of every conversation`,
            next: "Keep what it does and when to use it; how goes below the frontmatter.",
          },
        ]
      : []),
    ...(body > (isSkill ? mostBody : mostStanding)
      ? [
          {
            text: `it costs ${body} tokens ${isSkill ? "each time that it is loaded" : "with every prompt of every conversation"}`,
            next: isSkill
              ? "Move what only some tasks need into references/<topic>.md, and name it where it is needed."
              : "Move what only some tasks need into skills; `whetstone prune` measures which rules are worth their tokens.",
          },
        ]
      : []),
  ];
  return {
    prices,
    findings: findings.map((found) => ({ kind: "long", place: `${skill.main}:1`, ...found })),
  };
}

/** The rules of agentskills.io want a body below 5,000 tokens; every prompt pays for the rest. */
const [mostHead, mostBody, mostStanding] = [220, 5000, 3000];

function headText(skill: Skill): string {
  const read = readFrontmatter(mainText(skill));
  if (read.kind !== "read") return "";
  const { name, description, when_to_use: when } = read.fields;
  return [name, description, when].filter((field) => typeof field === "string").join("\n");
}
