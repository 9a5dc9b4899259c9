import type { Review } from "../../core/offer/review.ts";
import { type WishDecision, foldDecisions } from "../wishes/fold-decisions.ts";
import type { Wish } from "../wishes/wish.ts";
import { listProposals } from "../../run/offer/offers.ts";

/** The wishes as a person's decisions since the last night leave them: adopted, taken back, turned down, dropped or made one. */
export const syncWishes = (wishes: readonly Wish[], journalDir: string): readonly Wish[] =>
  foldDecisions(wishes, listProposals(journalDir).flatMap(decisionsIn));

function decisionsIn(review: Review): readonly WishDecision[] {
  const { night = "", rules, state, reason, decidedAt, stagedAt = 0 } = review;
  return rules.flatMap(({ wish, decision, receipt }): readonly WishDecision[] => {
    if (wish === undefined) return [];
    const own = {
      wish: wish.id,
      document: review.document.id,
      night,
      at: decidedAt ?? stagedAt,
      ...(decision?.deed === "edit" ? { text: decision.text } : {}),
    };
    if (receipt !== undefined) return [{ ...own, deed: "adopted" }];
    const why = decision?.deed === "reject" ? decision.reason : state === "rejected" ? reason : undefined;
    if (why !== undefined) return [{ ...own, deed: "rejected", reason: why }];
    if (decision?.deed === "same") return [{ ...own, deed: "same", as: decision.as }];
    return [{ ...own, deed: decision?.deed === "drop" ? "dropped" : "shown" }];
  });
}
