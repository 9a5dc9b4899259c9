import { type Wish, type WishSentence, type WishState, firstWording, isClosed, latestOf } from "./wish.ts";
import { tookBackText } from "./wish-words.ts";

/** What became of a wish in one review. */
export interface WishDecision {
  readonly wish: string;
  /** Id of the document that it was proposed for. */
  readonly document: string;
  /** The night that proposed it. */
  readonly night: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `shown`: nobody has decided. `same`: it is what the wish `as` is. `kept`: it was not taken out of the file. */
  readonly deed: "shown" | "adopted" | "rejected" | "dropped" | "same" | "kept";
  /** Why it was rejected. */
  readonly reason?: string;
  /** The words that the person gave it. */
  readonly text?: string;
  readonly as?: string;
}

/**
 * The wishes as a person's decisions leave them, given all of them, oldest first. A rejection holds for every wording; what
 * was dropped sleeps until it is said again; a wish that no review has shown stays as it is.
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
  // a wish that was changed or taken back since has outlived earlier words on it
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

/** What was dropped is open again once it was said after that. */
export function reopenSaid(wish: Wish): Wish {
  const { kind, at } = wish.state;
  const again = wish.said.findLast((sentence) => sentence.at > at);
  return kind === "open" || kind === "adopted" || kind === "rejected" || again === undefined
    ? wish
    : inState(wish, { kind: "open", at: again.at, reason: "You said it again." });
}

/** Nothing changes where it is that already. */
const inState = (wish: Wish, state: WishState): Wish =>
  JSON.stringify(wish.state) === JSON.stringify(state) ? wish : { ...wish, state };

/** In the person's own words from now on. What is known of the wish stays: the person chose them. */
function withWords(wish: Wish, text: string): Wish {
  const now = firstWording(wish);
  if (now?.text === text) return wish;
  const { from = [] } = now ?? {};
  const others = wish.wordings.filter((wording) => wording.text !== text);
  return { ...wish, wordings: [{ text, by: "chosen", from }, ...others] };
}

/** One wish of two, by a person's word: the named one has everything of both, and keeps its id, its wording and its state. */
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
 * Without words that are older than what a person allows to be kept; that and when something was said stays. An open wish that
 * was not said for so long waits no more.
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
        ? inState(wish, { kind: "expired", at: now, reason: `You did not say it for ${days} days.` })
        : last?.text === "" && wish.state.kind === "withdrawn"
          ? inState(wish, { ...wish.state, reason: tookBackText(last) })
          : wish),
      said,
      ...(wish.against === undefined ? {} : { against: against.map(keep) }),
    };
  });
