import { isBinary } from "../files.ts";
import { readFrontmatter } from "../skill/frontmatter.ts";
import { withoutFrontmatter } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { surfaceOf } from "../skill/surface.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import type { LintFinding } from "./lint-finding.ts";

/** Estimated tokens of a skill's texts, by when they're read. */
export interface TextPrices {
  /** Read with every prompt, whether the skill is used or not. */
  readonly always: number;
  /** Read once it's loaded. */
  readonly loaded: number;
  /** All references together; each is only read when opened. */
  readonly references: number;
}

/** Estimates how many tokens the texts cost, and finds those that are too long for their place. */
export function findPrices(skill: Skill): {
  readonly prices: TextPrices;
  readonly findings: readonly LintFinding[];
} {
  const isSkill = skill.main === "SKILL.md";
  const body = estimateTokens(withoutFrontmatter(mainText(skill)).trim());
  const prices = {
    // agents always see every skill's name and description; every prompt contains all standing instructions
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
            text: `the description adds ${prices.always} tokens to every prompt of every conversation`,
            next: "Keep only what the skill does and when to use it. Move the how below the frontmatter.",
          },
        ]
      : []),
    ...(body > (isSkill ? mostBody : mostStanding)
      ? [
          {
            text: `it adds ${body} tokens ${isSkill ? "each time it's loaded" : "to every prompt of every conversation"}`,
            next: isSkill
              ? "Move parts that only some tasks need into references/<topic>.md, and link to it where it's needed."
              : "Move parts that only some tasks need into skills. `whetstone prune` measures which rules are worth their tokens.",
          },
        ]
      : []),
  ];
  return {
    prices,
    findings: findings.map((found) => ({ kind: "long", place: `${skill.main}:1`, ...found })),
  };
}

/** agentskills.io asks for a body below 5,000 tokens. The other two limits are on text that every prompt pays for. */
const [mostHead, mostBody, mostStanding] = [220, 5000, 3000];

function headText(skill: Skill): string {
  const read = readFrontmatter(mainText(skill));
  if (read.kind !== "read") return "";
  const { name, description, when_to_use: when } = read.fields;
  return [name, description, when].filter((field) => typeof field === "string").join("\n");
}
