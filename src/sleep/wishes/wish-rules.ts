import { mainText } from "../../core/skill/skill.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { readRules } from "../../core/rules/learned/learned-block.ts";
import type { LearnedEdit, LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import { paraphrasedId } from "../memory/practice.ts";
import { isRival, vainWordings } from "./word-wishes.ts";
import { isPlainlySame, readPlain, readWish } from "./plainly-same.ts";
import { type Wish, firstWording, isClosed, isOpenFor, isStanding, textsOf } from "./wish.ts";

/** A wish's rule for one document, before it was ever tried. */
interface WishRule extends Pick<LearnedRule, "edit" | "provenance" | "reason"> {
  readonly wish: string;
  /** The person chose or wrote this wording. */
  readonly isChosen: boolean;
}

/**
 * The changes that the wishes make to a document: one rule per standing wish, in the proposed wording, in place of any
 * learned rule that it replaces. Learned rules that the person took back are removed.
 */
export const wishRules = (
  wishes: readonly Wish[],
  { id, skill }: Pick<Document, "id" | "skill">,
): readonly WishRule[] => {
  const items = readRules(mainText(skill));
  const asked = wishes.filter(({ waitsIn }) => waitsIn === undefined);
  const rules = asked.flatMap((wish) => {
    const wording = firstWording(wish);
    const isMeant = isOpenFor(wish, id) && isStanding(wish) && wish.documents.includes(id);
    if (!isMeant || wording === undefined) return [];
    const { text, by, from } = wording;
    const target = formerIn(wish, wishes, items);
    // for a reopened wish: the person didn't want it here, or removed it
    if (target === undefined && wish.state.decided?.includes(id) === true) return [];
    return [
      {
        wish: wish.id,
        isChosen: by === "chosen",
        edit:
          target === undefined || target === text
            ? ({ op: "add", text } as const)
            : ({ op: "replace", target, text } as const),
        // tasks of these conversations never count as evidence for it
        provenance: { conversations: from, tasks: [] },
        reason: target === undefined ? "You asked for it." : changeText(wish, wishes),
      },
    ];
  });
  const taken = new Set(rules.flatMap(({ edit }) => (edit.op === "replace" ? [edit.target] : [])));
  const removals = asked.filter(isClosed).flatMap((wish) => {
    const target = items.find((item) => isOwnText(wish, item) && !taken.has(item));
    if (target === undefined || !wish.documents.includes(id)) return [];
    const { reason } = wish.state;
    return [
      {
        wish: wish.id,
        isChosen: false,
        edit: { op: "delete", target } as const,
        provenance: noTasks,
        reason,
      },
    ];
  });
  return [...rules, ...removals];
};

const noTasks = { conversations: [], tasks: [] };

/** The learned rule that a wish replaces in a document: its own former rule, or that of a wish that it changed. */
function formerIn(wish: Wish, wishes: readonly Wish[], items: readonly string[]): string | undefined {
  const { former = [], replaces = [] } = wish;
  const others = wishes.filter((one) => replaces.includes(one.id) && isClosed(one));
  return items.find((item) => former.includes(item) || others.some((one) => isOwnText(one, item)));
}

const isOwnText = (wish: Wish, item: string): boolean => textsOf(wish).includes(item);

/** Why a rule is removed from the file, with the date. */
const changeText = ({ state, replaces = [] }: Wish, wishes: readonly Wish[]): string =>
  wishes.find((one) => replaces.includes(one.id) && isClosed(one))?.state.reason ?? state.reason;

/**
 * Updates a rule's status to match its wish, if the wish decides it. `current`: the rules that the document's wishes make
 * now.
 */
export function settleByWish(
  rule: LearnedRule,
  wishes: readonly Wish[],
  current: readonly Pick<WishRule, "wish" | "edit">[],
): LearnedRule {
  const wish = wishes.find(({ id, absorbed }) => id === rule.wish || absorbed.includes(rule.wish ?? ""));
  if (wish === undefined) return rule;
  const { kind, reason } = wish.state;
  if (kind === "rejected") return { ...rule, status: "rejected", reason: `You rejected it: ${reason}` };
  if (kind === "snoozed" || kind === "expired") return { ...rule, status: "dropped", reason };
  const isCurrent = current.some((one) => one.wish === rule.wish && isSameEdit(one.edit, rule.edit));
  if (isCurrent || isRival(rule, wish)) return rule;
  if (kind === "adopted")
    return isOpenFor(wish, rule.document) ? rule : { ...rule, status: "adopted", reason };
  if (isClosed(wish)) return { ...rule, status: "dropped", reason };
  return { ...rule, status: "dropped", reason: "It has another wording now." };
}

const isSameEdit = (a: LearnedEdit, b: LearnedEdit): boolean =>
  a.op === b.op &&
  (a.op === "delete" || b.op === "delete" || a.text === b.text) &&
  (a.op === "add" || b.op === "add" || a.target === b.target);

/**
 * The wish that a learned rule only repeats. Either the words are the same, or all its tasks belong to a wish that already has
 * a wording or a verdict.
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

/** Whether a task has nothing to learn, because everything it asks for is already a wish or can't be a rule. */
export function isAskedFor(task: string, wishes: readonly Wish[], rules: readonly LearnedRule[]): boolean {
  const own = wishes.filter(({ tasks }) => tasks.includes(paraphrasedId(task)));
  const isOpen = (wish: Wish) => {
    const wording = firstWording(wish);
    if (wish.state.kind !== "open" || !isStanding(wish)) return false;
    return wording === undefined || vainWordings(wish, rules).includes(wording.text);
  };
  return own.length > 0 && !own.some(isOpen);
}
