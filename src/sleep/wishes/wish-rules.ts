import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import { isPlainlySame, readPlain, readWish } from "./plainly-same.ts";
import { type Wish, conversationsOf, firstWording, isOpenFor } from "./wish.ts";

/** A rule of an open wish for one document, as it stands there before it was ever tried. */
interface WishRule extends Pick<LearnedRule, "edit" | "provenance" | "reason"> {
  readonly wish: string;
  /** The person took or wrote these words. */
  readonly isChosen: boolean;
}

/** What the open wishes of a document come to: one rule each, in the wording that is proposed. */
export const wishRules = (wishes: readonly Wish[], document: string): readonly WishRule[] =>
  wishes.flatMap((wish) => {
    const wording = firstWording(wish);
    if (!isOpenFor(wish, document) || wording === undefined || !wish.documents.includes(document)) return [];
    return [
      {
        wish: wish.id,
        isChosen: wording.by === "chosen",
        edit: { op: "add", text: wording.text },
        // tasks of these conversations never count for it
        provenance: { conversations: wording.from, tasks: [] },
        reason: statedText(wish),
      },
    ];
  });

/** `stated 3 times, not measured`: once for each conversation. */
export function statedText(wish: Pick<Wish, "said">): string {
  const times = conversationsOf(wish).length;
  return `stated ${times === 1 ? "once" : `${times} times`}, not measured`;
}

/** How a rule of a wish stands by what became of the wish; as it is, where that says nothing of it. */
export function settleByWish(rule: LearnedRule, wishes: readonly Wish[]): LearnedRule {
  const wish = wishes.find(({ id, absorbed }) => id === rule.wish || absorbed.includes(rule.wish ?? ""));
  if (wish === undefined) return rule;
  const { kind, reason } = wish.state;
  switch (kind) {
    case "adopted":
      return isOpenFor(wish, rule.document) ? rule : { ...rule, status: "adopted", reason };
    case "rejected":
      return { ...rule, status: "rejected", reason: `You rejected it: ${reason}` };
    case "snoozed":
      return { ...rule, status: "dropped", reason };
    case "open": {
      const isCurrent =
        rule.edit.op === "add" && rule.edit.text === firstWording(wish)?.text && wish.id === rule.wish;
      return isCurrent ? rule : { ...rule, status: "dropped", reason: "It is worded otherwise now." };
    }
  }
}

/**
 * The wish that a learned rule only repeats: it says plainly the same, or all tasks that call for it are of a wish that has its
 * wording or its verdict.
 */
export function wishBehind(
  { edit, provenance: { tasks } }: LearnedRule,
  wishes: readonly Wish[],
): Wish | undefined {
  const own = edit.op === "delete" ? undefined : readPlain(edit.text);
  return wishes.find((wish) => {
    if (own !== undefined && readWish(wish).some((text) => isPlainlySame(text, own))) return true;
    const isKnown = wish.wordings.length > 0 || wish.state.kind !== "open";
    return isKnown && tasks.length > 0 && tasks.every((task) => wish.tasks.includes(task));
  });
}
