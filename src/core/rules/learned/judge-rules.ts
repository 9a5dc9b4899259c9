import { wishStandingText } from "../evidence/evidence-words.ts";
import { type WishStanding, standingsOf } from "../evidence/standing.ts";
import type { TaskEvidence } from "../evidence/toss.ts";
import type { LearnedRule } from "./learned-rule.ts";

export interface JudgeInput {
  readonly night: string;
  /** Ids of the rules that broke a standing task tonight, or for which that's unknown. */
  readonly unsafe: ReadonlySet<string>;
}

/**
 * All rules with their standing according to everything ever measured. Evidence about a wish's wording applies in every
 * document. The gate can't reject a rule that a person stated.
 */
export function judgeRules(
  rules: readonly LearnedRule[],
  { night, unsafe }: JudgeInput,
): readonly LearnedRule[] {
  const shared = [...Map.groupBy(rules, wordingKey).values()].map(shareEvidence);
  const standings = standingsOf(shared.map(([first]) => first as LearnedRule));
  const judged = new Map(
    shared.flatMap((same, at) =>
      same.map((rule) => [rule.id, settle(rule, standings[at] ?? "open", night, unsafe)]),
    ),
  );
  return rules.map((rule) => judged.get(rule.id) ?? rule);
}

/** The same words of the same wish are the same wording in any document. */
export const wordingKey = ({ id, wish, edit }: Pick<LearnedRule, "id" | "wish" | "edit">): string =>
  wish === undefined || edit.op === "delete" ? id : `${wish}\n${edit.text}`;

function shareEvidence(same: readonly LearnedRule[]): readonly LearnedRule[] {
  if (same.length === 1) return same;
  const byTask = new Map<string, TaskEvidence>();
  for (const one of same.flatMap(({ evidence }) => evidence))
    byTask.set(one.task, byTask.get(one.task) ?? one);
  const [weight, proven] = [
    same.find((rule) => rule.weight)?.weight,
    same.find((rule) => rule.proven)?.proven,
  ];
  return same.map((rule) => ({
    ...rule,
    evidence: [...byTask.values()],
    ...(weight === undefined ? {} : { weight }),
    ...(proven === undefined ? {} : { proven }),
  }));
}

function settle(
  rule: LearnedRule,
  standing: WishStanding,
  night: string,
  unsafe: ReadonlySet<string>,
): LearnedRule {
  const isWaiting = rule.status === "open" || rule.status === "stated";
  if (!isWaiting || rule.evidence.length === 0) return rule;
  const text = wishStandingText(standing, rule.evidence);
  if (standing === "proven" && !unsafe.has(rule.id))
    return { ...rule, status: "proven", proven: night, reason: text };
  if (standing === "proven")
    return { ...rule, reason: `held back: it fails a standing task that passes without it; ${text}` };
  if (rule.origin === "stated") return text === "" ? rule : { ...rule, reason: text };
  if (standing === "harms") return { ...rule, status: "rejected", reason: `rejected by the gate: ${text}` };
  if (standing === "hopeless") return { ...rule, status: "dropped", reason: text };
  return text === "" ? rule : { ...rule, reason: text };
}
