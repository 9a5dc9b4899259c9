import { type Wish, type WishSentence, type WishState, firstWording, isClosed, latestOf } from "./wish.ts";
import { tookBackText } from "./wish-words.ts";

/** A person's decision on a wish in one review. */
export interface WishDecision {
  readonly wish: string;
  /** The id of the document that it was proposed for. */
  readonly document: string;
  /** The night that proposed it. */
  readonly night: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `shown`: undecided. `same`: it's the same as the wish `as`. `kept`: it wasn't removed from the file. */
  readonly deed: "shown" | "adopted" | "rejected" | "dropped" | "same" | "kept";
  /** Why it was rejected. */
  readonly reason?: string;
  /** The person's wording. */
  readonly text?: string;
  readonly as?: string;
}

/**
 * Applies all of a person's decisions to the wishes, oldest first. A rejection applies to every wording. A dropped wish is
 * snoozed until it's said again. A wish that no review has shown stays as it is.
 */
export function foldDecisions(wishes: readonly Wish[], decisions: readonly WishDecision[]): readonly Wish[] {
  const decided = wishes.map((wish) => {
    const own = decisions.filter(
      (one) =>
        one.at > (wish.turnedAt ?? 0) &&
        (one.wish === wish.id || (one.deed === "adopted" && wish.absorbed.includes(one.wish))),
    );
    return own.length === 0 ? reopenSaid(wish) : decideWish(wish, own);
  });
  return mergeSame(decided, decisions);
}

function decideWish(wish: Wish, own: readonly WishDecision[]): Wish {
  // a wish that was changed or taken back since then overrides earlier decisions
  if (isClosed(wish) && own.every(({ at, deed }) => deed === "shown" || at <= wish.state.at))
    return reopenSaid(wish);
  const text = own.findLast((one) => one.text !== undefined)?.text;
  const worded = text === undefined ? wish : withWords(wish, text);
  const adopted = own.findLast(({ deed }) => deed === "adopted" || deed === "kept");
  if (adopted !== undefined) {
    const settled = own.filter(({ deed }) => deed !== "shown" && deed !== "same");
    const decided = [...new Set(settled.map(({ document }) => document))].toSorted();
    return inState(worded, { kind: "adopted", at: adopted.at, reason: "You adopted it.", decided });
  }
  const rejected = own.findLast(({ deed }) => deed === "rejected");
  if (rejected !== undefined)
    return inState(worded, { kind: "rejected", at: rejected.at, reason: rejected.reason ?? "" });
  const last = own.at(-1)?.night;
  const dropped = own.findLast(({ night, deed }) => night === last && deed === "dropped");
  if (dropped !== undefined)
    return reopenSaid(inState(worded, { kind: "snoozed", at: dropped.at, reason: "You dropped it." }));
  if (wish.state.kind === "open" || wish.state.quote !== undefined) return worded;
  const at = Math.max(...own.map((one) => one.at));
  return inState(worded, { kind: "open", at, reason: "You took that back." });
}

/** Reopens a dropped wish that was said again afterwards. */
export function reopenSaid(wish: Wish): Wish {
  const { kind, at } = wish.state;
  const again = wish.said.findLast((sentence) => sentence.at > at);
  return kind === "open" || kind === "adopted" || kind === "rejected" || again === undefined
    ? wish
    : inState(wish, { kind: "open", at: again.at, reason: "You said it again." });
}

/** Keeps the same object if the state doesn't change. */
const inState = (wish: Wish, state: WishState): Wish =>
  JSON.stringify(wish.state) === JSON.stringify(state) ? wish : { ...wish, state };

/** Uses the person's own words from now on. The wish keeps its evidence, because the person chose them. */
function withWords(wish: Wish, text: string): Wish {
  const now = firstWording(wish);
  if (now?.text === text) return wish;
  const { from = [] } = now ?? {};
  const others = wish.wordings.filter((wording) => wording.text !== text);
  return { ...wish, wordings: [{ text, by: "chosen", from }, ...others] };
}

/** Merges two wishes that a person called the same. The named one gets everything and keeps its id, wording and state. */
function mergeSame(wishes: readonly Wish[], decisions: readonly WishDecision[]): readonly Wish[] {
  let merged = wishes;
  for (const { deed, wish: name, as } of decisions) {
    const [gone, stays] = [merged.find(({ id }) => id === name), merged.find(({ id }) => id === as)];
    if (deed !== "same" || gone === undefined || stays === undefined || gone === stays) continue;
    const both: Wish = {
      ...stays,
      said: [...stays.said, ...gone.said].toSorted((a, b) => a.at - b.at),
      tasks: [...new Set([...stays.tasks, ...gone.tasks])].toSorted(),
      absorbed: [...stays.absorbed, gone.id, ...gone.absorbed],
      sameAs: stays.sameAs.filter((id) => id !== gone.id),
    };
    merged = merged.flatMap((wish) => (wish === stays ? [both] : wish === gone ? [] : [wish]));
  }
  return merged;
}

/**
 * Removes sentences that are older than the person allows to be kept, but not their dates. An open wish that wasn't said for
 * that long expires.
 */
export const expireWishes = (
  wishes: readonly Wish[],
  { now, days }: { /** Milliseconds since the epoch. */ readonly now: number; readonly days: number },
): readonly Wish[] =>
  wishes.map((wish) => {
    const isOld = (at: number) => at <= now - days * 86_400_000;
    const { against = [] } = wish;
    if (![...wish.said, ...against].some(({ at, text }) => isOld(at) && text !== "")) return wish;
    const forget = ({ conversation, kind, isRule, at, agent, lasts }: WishSentence): WishSentence => ({
      text: "",
      conversation,
      kind,
      isRule,
      at,
      agent,
      ...(lasts === undefined ? {} : { lasts }),
    });
    const keep = (one: WishSentence) => (isOld(one.at) ? forget(one) : one);
    const said = wish.said.map(keep);
    const last = latestOf(against.map(keep));
    const isQuiet = wish.state.kind === "open" && said.every(({ at }) => isOld(at));
    return {
      ...(isQuiet
        ? inState(wish, { kind: "expired", at: now, reason: `You didn't say it for ${days} days.` })
        : last?.text === "" && wish.state.kind === "withdrawn"
          ? inState(wish, { ...wish.state, reason: tookBackText(last) })
          : wish),
      said,
      ...(wish.against === undefined ? {} : { against: against.map(keep) }),
    };
  });
