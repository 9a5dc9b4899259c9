import { writtenWords } from "../rules/rule-words.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import type { Document } from "../rules/learned/document.ts";
import { sumEvidence } from "../rules/evidence/evidence-words.ts";
import { ownTasks, standsAlone } from "../rules/evidence/standing.ts";
import type { TaskEvidence } from "../rules/evidence/toss.ts";
import type { LearnedRule } from "../rules/learned/learned-rule.ts";
import type { Rule, RuleEvidence } from "../rules/rule.ts";
import type { ReminderTest } from "../reminders/make-reminder.ts";
import { type Review, labelRule } from "./review.ts";

/** A rule with facts that only the night knows. */
export interface Staged extends Pick<Rule, "powers" | "wish" | "looked"> {
  readonly rule: LearnedRule;
  /** The conversations of its provenance, with the person's words. */
  readonly conversations: Rule["provenance"]["conversations"];
  /** Only for a reminder. */
  readonly stops?: ReminderTest;
}

export interface ReviewInput {
  readonly id: string;
  readonly night: string;
  readonly stagedAt: number;
  readonly document: Document;
  readonly gate: "on" | "off";
  readonly rules: readonly Staged[];
  readonly rejected: Review["rejected"];
}

/** The rules that a person may choose from, and those that the night rejected. */
export function makeReview({ id, night, stagedAt, document, gate, rules, rejected }: ReviewInput): Review {
  const { id: name, kind, scope, name: shown } = document;
  const offered = rules.flatMap((staged) => {
    const status = statusOf(staged.rule, gate);
    return status === undefined ? [] : [offeredRule(staged, status)];
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

type NightStatus = "proven" | "open" | "stated" | "unverified";

function statusOf({ status, origin }: LearnedRule, gate: "on" | "off"): NightStatus | undefined {
  if (status !== "open" && status !== "proven" && status !== "stated") return undefined;
  if (gate === "on" || status === "proven") return status;
  return origin === "stated" ? "stated" : "unverified";
}

function offeredRule(
  { rule, conversations, powers, wish, looked, stops }: Staged,
  status: NightStatus,
): Rule {
  const { id, origin, provenance, evidence } = rule;
  const edit = { kind: "learned", ...rule.edit } as const;
  return {
    v: 1,
    id,
    text: editedText(rule.edit),
    edit,
    origin: origin === "learned" ? "proposed" : origin,
    evidence: stops === undefined ? ownTasks(evidence).map(tossesOf) : [{ kind: "stops", ...stops }],
    status,
    works: standsAlone(evidence) === "works",
    label: stops === undefined ? labelRule(status, evidence, wish !== undefined) : stopsText(stops),
    // no conversation reads a reminder before it stops something
    tokens: stops === undefined ? estimateTokens(writtenWords(edit) ?? "") : 0,
    provenance: { conversations, tasks: provenance.tasks },
    powers,
    ...(looked === undefined ? {} : { looked }),
    ...(wish === undefined ? {} : { wish }),
  };
}

const stopsText = ({ relapses, stopped, others, wrong, unit }: ReminderTest): string =>
  `would have stopped ${stopped} of ${relapses} relapses, and ${wrong} of ${others} other ${unit === "calls" ? unit : "conversations that changed files"}`;

function tossesOf(one: TaskEvidence): RuleEvidence {
  const { rollouts, with: after, without } = sumEvidence([one]);
  const talk = one.isTalk === true ? ({ talk: true } as const) : {};
  return { kind: "tosses", task: one.task, night: one.night, rollouts, with: after, without, ...talk };
}

/** The words of a change: the text written, or the text removed. */
const editedText = (edit: LearnedRule["edit"]): string => (edit.op === "delete" ? edit.target : edit.text);
