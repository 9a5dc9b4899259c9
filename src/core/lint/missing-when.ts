import { readFrontmatter } from "../skill/frontmatter.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { type LintFinding, placeAt } from "./lint-finding.ts";

/** If a description doesn't say when to use a skill, agents overlook it or load it for anything. */
export function findMissingWhen(skill: Skill): readonly LintFinding[] {
  if (skill.main !== "SKILL.md") return [];
  const text = mainText(skill);
  const read = readFrontmatter(text);
  if (read.kind !== "read") return [];
  const { description, when_to_use: when, "disable-model-invocation": byHandOnly } = read.fields;
  if (typeof description !== "string" || description.trim() === "" || byHandOnly === true) return [];
  if ((typeof when === "string" && when.trim() !== "") || saysWhen.test(description)) return [];
  const at = Math.max(text.search(/^description\s*:/m), 0);
  const [what = ""] = description.trim().split(/(?<=\.)\s/, 1);
  return [
    {
      kind: "no-when",
      place: placeAt(skill.main, text, at),
      text: "the description says what the skill is, not when to use it",
      next: `Write it as: ${what.replace(/\.$/, "")}. Use when the user asks for …, or when … is at hand.`,
    },
  ];
}

// occasions: "when …", "use for …", "if the user …", "before committing", and the same words in other languages
const saysWhen = new RegExp(
  [
    String.raw`\bwhen(?:ever)?\b`,
    String.raw`\bif\s+(?:the|a|an|you|your|someone|somebody|there|asked)\b`,
    String.raw`\b(?:use|used|useful|invoke|invoked|load|loaded|apply|applies|call|called|run|activate|activates|trigger|triggers|consult|reach)\s+(?:\w+\s+){0,3}?(?:for|before|after|while|during|on|in|if|with|to)\b`,
    String.raw`\b(?:user|users|someone|somebody|person|people|you|request|question|conversation|task)s?\s+(?:asks?|wants?|needs?|mentions?|says?|requests?|has|have|is|are|about|involves?|that)\b`,
    String.raw`\b(?:before|after|while|during)\s+(?:\w+ing|you|any|every|each|a|the)\b`,
    String.raw`\b(?:any|every|each)\s?time\b`,
    String.raw`\bfor\s+(?:any|all|every|tasks?|questions?|requests?|work|projects?)\b`,
    String.raw`\btriggers?\s*(?::|on|include)`,
    String.raw`\b(?:wenn|sobald|falls|lorsque|quand|lorsqu'|cuando|quando|когда|если)(?!\p{L})`,
    "[时時]|とき|場合|때",
  ].join("|"),
  "iu",
);
