import { type Range, multiplyRanges, range } from "../../core/rehearse/range.ts";
import type { LookedAhead } from "./look-ahead.ts";
import { type NightPlan, planAhead } from "./plan-night.ts";

/** The cost of reading everything that may be read, night by night. */
export interface HistoryPlan {
  /** The total number of unread conversations. */
  readonly conversations: number;
  /** The number that the first night reads. */
  readonly first: number;
  readonly nights: number;
  /** The first night's plan, or a sentence that says why it can't be estimated. */
  readonly plan: NightPlan | string;
  /** For all nights, extrapolated from the first; money in billionths of a US dollar, time in milliseconds. */
  readonly all?: { readonly calls: Range; readonly nanoUsd: Range; readonly ms: Range };
}

/** Estimated from data on this machine, without API calls. */
export async function planHistory(ahead: LookedAhead, cwd: string): Promise<HistoryPlan> {
  const first = ahead.conversations.length;
  const conversations = first + ahead.left;
  const plan = await planAhead(ahead, cwd);
  const nights = Math.ceil(conversations / Math.max(first, 1));
  const shape = { conversations, first, nights, plan };
  if (typeof plan === "string") return shape;
  const times = range(conversations / Math.max(first, 1));
  const { calls, price, time } = plan;
  return {
    ...shape,
    all: {
      calls: multiplyRanges(calls, times),
      nanoUsd: multiplyRanges(price, times),
      ms: multiplyRanges(time, times),
    },
  };
}
