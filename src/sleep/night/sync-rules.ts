import { isTaken } from "../../core/offer/review.ts";
import { droppedByPerson } from "./consolidate.ts";
import type { Rule } from "../../core/rules/learned/rule.ts";
import { listProposals, readRejections } from "../../run/offer/offers.ts";
import type { SleepState } from "../state.ts";
import { syncWishes } from "./sync-wishes.ts";

/** What nights remember, as a person's decisions since the last one leave it. */
export const syncState = (state: SleepState, journalDir: string): SleepState => ({
  ...state,
  rules: syncRules(state.rules, journalDir),
  wishes: syncWishes(state.wishes, journalDir),
});

/** The rules: adopted, taken back, turned down or dropped. Those of a wish follow the wish. */
export function syncRules(rules: readonly Rule[], journalDir: string): readonly Rule[] {
  const reviews = listProposals(journalDir);
  const adopted = new Set(
    reviews.filter(({ state }) => state === "adopted").flatMap(({ taken = [] }) => taken.map(({ id }) => id)),
  );
  const turnedDown = new Map(readRejections(journalDir).map(({ rule, reason }) => [rule, reason]));
  // the last proposal that has a rule says whether it was dropped
  const dropped = new Map(
    reviews.flatMap(({ rules: own, decisions = {} }) =>
      own.map(({ id }) => [id, decisions[id] !== undefined && !isTaken(decisions[id])] as const),
    ),
  );
  return rules.map((rule): Rule => {
    if (adopted.has(rule.id)) return { ...rule, status: "adopted", reason: "You adopted it." };
    const why = turnedDown.get(rule.id);
    if (why !== undefined) return { ...rule, status: "rejected", reason: `You rejected it: ${why}` };
    if (dropped.get(rule.id) === true) return { ...rule, status: "dropped", reason: droppedByPerson };
    return rule.status === "adopted" ? { ...rule, status: "open", reason: "You took it back." } : rule;
  });
}
