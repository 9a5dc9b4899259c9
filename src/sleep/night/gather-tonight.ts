import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { withJournal } from "../../run/session/open-if-there.ts";
import { shareOfCaps } from "../../run/verbs/plan.ts";
import { nextNight } from "../state.ts";
import { type GatherInput, type Gathered, gather } from "./gather.ts";
import { asksWordsOnly } from "./words-only.ts";
import { nightBefore } from "./night-verb.ts";
import { resolveNight } from "./resolve-night.ts";

/**
 * Reads as many of the newest unread conversations as the night's caps will likely pay for, and no more than a person can be
 * asked about. The rest waits. If not even one fits, or the cost is unknown, it reads all that `maxConversations` allows.
 */
export async function gatherTonight(input: GatherInput, cwd: string): Promise<Gathered> {
  const { maxConversations } = input.place.settings;
  const all = await gather(input, maxConversations);
  if (all.conversations.length < 2) return all;
  const resolved = await resolveQuietly(input, cwd);
  if (resolved === undefined) return all;
  try {
    const most = asksWordsOnly(input.place.settings, resolved.models)
      ? Math.min(all.conversations.length, mostByHand)
      : await countWithinCaps(all, resolved, input);
    return most === all.conversations.length ? all : await gather(input, most);
  } finally {
    await resolved.close?.();
  }
}

/** Mining asks one question for each; grouping and wording ask one each: 15 in total. */
const mostByHand = 13;

async function resolveQuietly(input: GatherInput, cwd: string): Promise<Resolved | undefined> {
  try {
    return await resolveNight({ ...input, commits: [] }, { cwd });
  } catch (error) {
    // the night itself reports it
    if (error instanceof WhetstoneError) return undefined;
    throw error;
  }
}

async function countWithinCaps(
  { conversations, ...gathered }: Gathered,
  resolved: Resolved,
  { place, state }: GatherInput,
): Promise<number> {
  const pinned = { ...gathered, id: nextNight(state), at: 0 };
  return withJournal(place, async (journal) => {
    let count = conversations.length;
    for (;;) {
      const verb = nightBefore({
        place,
        state,
        resolved,
        pinned: { ...pinned, conversations: conversations.slice(-count) },
      });
      const share = await shareOfCaps(verb, journal);
      if (share <= 1) return count;
      if (count === 1) return conversations.length;
      count = Math.max(Math.min(Math.floor(count / share), count - 1), 1);
    }
  });
}
