import type { Rule } from "../../../core/sleep/rules/rule.ts";
import { listProposals, readRejections } from "../proposals/proposals.ts";

/** The rules as a person's decisions since the last night leave them: adopted, taken back, or turned down. */
export function syncRules(rules: readonly Rule[], journalDir: string): readonly Rule[] {
  const adopted = new Set(
    listProposals(journalDir)
      .filter(({ state }) => state === "adopted")
      .flatMap(({ taken = [] }) => taken.map(({ id }) => id)),
  );
  const turnedDown = new Map(readRejections(journalDir).map(({ rule, reason }) => [rule, reason]));
  return rules.map((rule): Rule => {
    if (adopted.has(rule.id)) return { ...rule, status: "adopted", reason: "You adopted it." };
    const why = turnedDown.get(rule.id);
    if (why !== undefined) return { ...rule, status: "rejected", reason: `You rejected it: ${why}` };
    return rule.status === "adopted" ? { ...rule, status: "open", reason: "You took it back." } : rule;
  });
}
