import { estimateTokens } from "../work/estimate-tokens.ts";
import type { Document } from "../rules/learned/document.ts";
import { sumEvidence } from "../rules/evidence/evidence-words.ts";
import { ownTasks, standsAlone } from "../rules/evidence/standing.ts";
import type { TaskEvidence } from "../rules/evidence/toss.ts";
import type { Rule } from "../rules/learned/rule.ts";
import {
  type Review,
  type ReviewConversation,
  type ReviewMeasured,
  type ReviewPower,
  type ReviewRule,
  type ReviewWish,
  labelRule,
} from "./review.ts";

/** A rule with what only the night knows of it. */
export interface StagedRule {
  readonly rule: Rule;
  /** Those of its provenance, with the person's words. */
  readonly conversations: readonly ReviewConversation[];
  readonly powers: readonly ReviewPower[];
  readonly wish?: ReviewWish;
}

export interface ReviewInput {
  readonly id: string;
  readonly night: string;
  readonly stagedAt: number;
  readonly document: Document;
  readonly gate: "on" | "off";
  readonly rules: readonly StagedRule[];
  readonly rejected: Review["rejected"];
}

/** What may be chosen stands among the rules; what the night turned down among the rejected. */
export function makeReview({ id, night, stagedAt, document, gate, rules, rejected }: ReviewInput): Review {
  const { id: name, kind, scope, name: shown } = document;
  const offered = rules.flatMap((staged) => {
    const status = statusOf(staged.rule, gate);
    return status === undefined ? [] : [reviewRule(staged, status)];
  });
  const turnedDown = rules
    .map(({ rule }) => rule)
    .filter(({ status }) => status === "rejected" || status === "refused" || status === "dropped")
    .map((rule) => ({ id: rule.id, text: editedText(rule.edit), reason: rule.reason }));
  return {
    v: 1,
    id,
    night,
    stagedAt,
    document: { id: name, kind, scope, name: shown },
    gate,
    rules: offered,
    rejected: [...turnedDown, ...rejected],
    state: "staged",
  };
}

function statusOf({ status, origin }: Rule, gate: "on" | "off"): ReviewRule["status"] | undefined {
  if (status !== "open" && status !== "proven" && status !== "stated") return undefined;
  if (gate === "on" || status === "proven") return status;
  return origin === "stated" ? "stated" : "unverified";
}

function reviewRule(
  { rule, conversations, powers, wish }: StagedRule,
  status: ReviewRule["status"],
): ReviewRule {
  const { id, edit, origin, provenance, evidence } = rule;
  return {
    id,
    edit,
    origin,
    ...(wish === undefined ? {} : { wish }),
    tokens: edit.op === "delete" ? 0 : estimateTokens(edit.text),
    status,
    works: standsAlone(evidence) === "works",
    label: labelRule(status, evidence, wish && conversations.length),
    provenance: { conversations, tasks: provenance.tasks },
    measured: ownTasks(evidence).map(reviewMeasured),
    powers,
  };
}

function reviewMeasured(one: TaskEvidence): ReviewMeasured {
  const { tasks: _, ...sums } = sumEvidence([one]);
  return { task: one.task, night: one.night, ...sums };
}

/** A change in words: what is written, or what goes. */
export const editedText = (edit: Rule["edit"]): string => (edit.op === "delete" ? edit.target : edit.text);
