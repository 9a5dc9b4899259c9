import type { Review } from "../../core/offer/review.ts";
import { type WishDecision, foldDecisions } from "../wishes/fold-decisions.ts";
import type { Wish } from "../wishes/wish.ts";
import { decidedAt } from "../../run/offer/proposal-folder.ts";
import { listProposals } from "../../run/offer/offers.ts";

/** The wishes as a person's decisions since the last night leave them: adopted, taken back, turned down, dropped or made one. */
export const syncWishes = (wishes: readonly Wish[], journalDir: string): readonly Wish[] =>
  foldDecisions(
    wishes,
    listProposals(journalDir).flatMap((review) => decisionsIn(review, decidedAt(journalDir, review))),
  );

function decisionsIn(review: Review, at: number): readonly WishDecision[] {
  const { night, rules, state, reason, decisions = {}, taken = [] } = review;
  return rules.flatMap(({ id, wish, rejection }): readonly WishDecision[] => {
    if (wish === undefined) return [];
    const decision = decisions[id];
    const own = {
      wish: wish.id,
      document: review.document.id,
      night,
      at,
      ...(decision?.deed === "edit" ? { text: decision.text } : {}),
    };
    if (state === "adopted" && taken.some((rule) => rule.id === id)) return [{ ...own, deed: "adopted" }];
    const why = rejection ?? (state === "rejected" ? reason : undefined);
    if (why !== undefined) return [{ ...own, deed: "rejected", reason: why }];
    if (decision?.deed === "same") return [{ ...own, deed: "same", as: decision.as }];
    return [{ ...own, deed: decision?.deed === "drop" ? "dropped" : "shown" }];
  });
}
