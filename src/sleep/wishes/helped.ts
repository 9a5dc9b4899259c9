import { binomialInterval } from "../../core/gate/binomial-interval.ts";
import { fisherP } from "../../core/gate/fisher.ts";
import type { Wish } from "./wish.ts";

/** A conversation that a night has read. */
export interface ReadConversation {
  readonly id: string;
  /** When it ended, in milliseconds since the epoch. */
  readonly at: number;
}

/** How many conversations it had to be said in. */
export interface SaidRate {
  readonly said: number;
  readonly conversations: number;
  /** The share, with its exact 95% interval. */
  readonly share: number;
  readonly between: readonly [number, number];
}

/** Whether an adopted wish has to be said less often now. */
export interface Helped {
  readonly wish: string;
  readonly since: SaidRate;
  /** Leaves out the first time it was said, because every wish has one. */
  readonly before: SaidRate;
  /** The last time it was said after it was adopted. */
  readonly lastSaid?: { readonly at: number; readonly text: string };
  /** `rarer` or `oftener` if chance alone would do that in less than 5% of all cases. */
  readonly verdict: "rarer" | "oftener" | "unclear";
}

/**
 * Counts the conversations in which a wish had to be said, before and after it was adopted. Undefined if it isn't adopted, or
 * without a conversation since.
 */
export function helpedBy(wish: Wish, conversations: readonly ReadConversation[]): Helped | undefined {
  const { kind, at, quote } = wish.state;
  // a wish that the file already contained wasn't adopted by anybody
  if (kind !== "adopted" || quote !== undefined) return undefined;
  const firstSaid = wish.said[0]?.conversation;
  const said = new Set(wish.said.map(({ conversation }) => conversation));
  const rate = (isCounted: (talk: ReadConversation) => boolean): SaidRate => {
    const counted = conversations.filter(isCounted);
    const times = counted.filter(({ id }) => said.has(id)).length;
    return {
      said: times,
      conversations: counted.length,
      share: counted.length === 0 ? 0 : times / counted.length,
      between: binomialInterval(times, counted.length),
    };
  };
  const since = rate((talk) => talk.at > at);
  const before = rate((talk) => talk.at <= at && talk.id !== firstSaid);
  if (since.conversations === 0) return undefined;
  const again = wish.said.findLast((sentence) => sentence.at > at);
  return {
    wish: wish.id,
    since,
    before,
    ...(again === undefined ? {} : { lastSaid: { at: again.at, text: again.text } }),
    verdict: isLess(before, since) ? "rarer" : isLess(since, before) ? "oftener" : "unclear",
  };
}

/** Whether the second rate is lower than the first, beyond chance. */
const isLess = (first: SaidRate, second: SaidRate): boolean =>
  first.conversations > 0 &&
  second.conversations > 0 &&
  fisherP(
    { passed: first.said, trials: first.conversations },
    { passed: second.said, trials: second.conversations },
  ) < 0.05;
