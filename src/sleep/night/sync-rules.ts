import { isTaken } from "../../core/rules/rule-words.ts";
import { droppedByPerson } from "./consolidate.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import { listProposals, readRejections } from "../../run/offer/offers.ts";
import { shareWishes } from "../memory/shared-wishes.ts";
import type { SleepState } from "../state.ts";
import type { Review } from "../../core/offer/review.ts";
import { type WishDecision, foldDecisions } from "../wishes/fold-decisions.ts";

/** Applies a person's decisions since the last night. `others` are journals where wishes about the person are decided too. */
export function syncState(state: SleepState, journalDir: string, others: readonly string[] = []): SleepState {
  const decisions = [journalDir, ...others].flatMap((one) => listProposals(one).flatMap(decisionsIn));
  return {
    ...state,
    rules: syncRules(state.rules, journalDir),
    wishes: foldDecisions(shareWishes(state, others).wishes, decisions),
  };
}

/** Marks rules as adopted, taken back, rejected or dropped. Rules of a wish follow the wish. */
export function syncRules(rules: readonly LearnedRule[], journalDir: string): readonly LearnedRule[] {
  const reviews = listProposals(journalDir);
  const adopted = new Set(
    reviews.flatMap(({ rules: own }) =>
      own.flatMap(({ id, receipt }) => (receipt === undefined ? [] : [id])),
    ),
  );
  const turnedDown = new Map(readRejections(reviews).map(({ rule, reason }) => [rule.id, reason]));
  // the last proposal with a rule decides whether it was dropped
  const dropped = new Map(
    reviews.flatMap(({ rules: own }) =>
      own.map(({ id, decision }) => [id, decision !== undefined && !isTaken(decision)] as const),
    ),
  );
  return rules.map((rule): LearnedRule => {
    if (adopted.has(rule.id)) return { ...rule, status: "adopted", reason: "You adopted it." };
    const why = turnedDown.get(rule.id);
    if (why !== undefined) return { ...rule, status: "rejected", reason: `You rejected it: ${why}` };
    if (dropped.get(rule.id) === true) return { ...rule, status: "dropped", reason: droppedByPerson };
    return rule.status === "adopted" ? { ...rule, status: "open", reason: "You took it back." } : rule;
  });
}

function decisionsIn(review: Review): readonly WishDecision[] {
  const { night = "", rules, state, reason, decidedAt, stagedAt = 0 } = review;
  return rules.flatMap(({ wish, edit, decision, receipt }): readonly WishDecision[] => {
    if (wish === undefined) return [];
    const own = {
      wish: wish.id,
      document: review.document.id,
      night,
      at: decidedAt ?? stagedAt,
      ...(decision?.deed === "edit" ? { text: decision.text } : {}),
    };
    if (edit.kind === "learned" && edit.op === "delete") {
      const isKept = decision !== undefined && !isTaken(decision);
      return receipt === undefined ? [{ ...own, deed: isKept ? "kept" : "shown" }] : [];
    }
    if (receipt !== undefined) return [{ ...own, deed: "adopted" }];
    const why = decision?.deed === "reject" ? decision.reason : state === "rejected" ? reason : undefined;
    if (why !== undefined) return [{ ...own, deed: "rejected", reason: why }];
    if (decision?.deed === "same") return [{ ...own, deed: "same", as: decision.as }];
    return [{ ...own, deed: decision?.deed === "drop" ? "dropped" : "shown" }];
  });
}
