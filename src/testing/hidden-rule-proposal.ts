import type { Edit } from "../core/skill/edit.ts";
import { type HiddenRule, rulesHeading } from "./hidden-rule-office.ts";
import {
  type ProposalShares,
  type OptimizerQuestion,
  type SeenTopic,
  readSkillText,
} from "./hidden-rule-question.ts";

type ProposalKind = keyof ProposalShares;

/** Proposes one edit about a topic: useful, useless or harmful, by the call's own draw. */
export function propose(question: OptimizerQuestion, { rule, ids }: SeenTopic): Edit {
  const { office, shares } = question;
  const random = question.random("proposal", rule.topic);
  const kind = drawKind(shares, random());
  const skill = readSkillText(question);
  const place = placeEdit(skill, random());
  if (kind === "harmful") {
    return { ...place, content: `- ${office.writeOverride(rule, random)}`, evidence: ids };
  }
  // if the skill already has the rule, nothing useful is left to say, so that share goes to useless advice
  if (kind === "useful") {
    const [misleading] = office.findOverrides(skill, rule);
    if (misleading !== undefined) return { op: "delete", target: misleading, evidence: ids };
    if (!skill.includes(rule.sentence)) return { ...place, content: `- ${rule.sentence}`, evidence: ids };
  }
  return { ...place, content: `- ${writeAdvice(rule, random)}`, evidence: ids };
}

export function drawKind({ useful, useless, harmful }: ProposalShares, random: number): ProposalKind {
  const draw = random * (useful + useless + harmful);
  if (draw < useful) return "useful";
  return draw < useful + useless ? "useless" : "harmful";
}

const placeEdit = (skill: string, draw: number): Pick<Edit, "op" | "target"> =>
  draw < 0.5 && skill.includes(rulesHeading)
    ? { op: "insert_after", target: rulesHeading }
    : { op: "append" };

/** Writes a sentence about a topic that changes nothing. */
export function writeAdvice({ topic }: HiddenRule, random: () => number): string {
  const advice = uselessAdvice[Math.floor(random() * uselessAdvice.length)] ?? "";
  return advice.replace("{topic}", topic);
}

const uselessAdvice = [
  "Read notes about {topic} twice before you answer.",
  "Be careful with {topic}.",
  "Think about who sends {topic} and why.",
  "Keep the tone friendly when a note is about {topic}.",
  "Notes about {topic} can be long; stay calm.",
];
