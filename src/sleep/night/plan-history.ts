import { type Range, multiplyRanges, range } from "../../core/rehearse/range.ts";
import type { LookedAhead } from "./look-ahead.ts";
import { type NightPlan, planAhead } from "./plan-night.ts";

/** What it takes to read all that may be read, night by night. */
export interface HistoryPlan {
  /** Unread ones in all. */
  readonly conversations: number;
  /** Of these, what the first night takes. */
  readonly first: number;
  readonly nights: number;
  /** Of the first night; why it cannot be said, in words. */
  readonly plan: NightPlan | string;
  /** Of all nights, as far as the first tells; money is in billionths of a US dollar, time in milliseconds. */
  readonly all?: { readonly calls: Range; readonly nanoUsd: Range; readonly ms: Range };
}

/** Said from what is on this machine: nobody is called. */
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
