import type { EventBody } from "../core/events.ts";
import type { Role } from "../core/ports/model.ts";
import type { UnusableReply } from "../core/unusable-reply.ts";

/** Unusable replies of one role and kind. */
export interface ReplyCount {
  readonly role: Role;
  readonly reply: UnusableReply;
  readonly count: number;
  /** The message about the last of them. */
  readonly message: string;
  /** The setting to change. */
  readonly next: string;
}

export interface ReplyCounter {
  add(event: Extract<EventBody, { readonly type: "reply-unusable" }>): void;
  /** Most frequent first. */
  list(): readonly ReplyCount[];
}

/** Counts unusable replies, each only once. */
export function countUnusable(): ReplyCounter {
  const keys = new Set<string>();
  const counts = new Map<string, ReplyCount>();
  return {
    add({ key, role, reply, message, next }) {
      const name = `${role} ${reply}`;
      const count = counts.get(name)?.count ?? 0;
      const isNew = !keys.has(key);
      keys.add(key);
      counts.set(name, { role, reply, count: isNew ? count + 1 : count, message, next });
    },
    list: () =>
      [...counts.values()].toSorted(
        (a, b) => b.count - a.count || (`${a.role} ${a.reply}` < `${b.role} ${b.reply}` ? -1 : 1),
      ),
  };
}

/** "12 target replies were cut off, 3 optimizer replies were malformed" */
export const unusableText = (replies: readonly Pick<ReplyCount, "role" | "reply" | "count">[]): string =>
  replies
    .map(
      ({ role, reply, count }) =>
        `${count} ${role} ${count === 1 ? "reply was" : "replies were"} ${replyWords[reply]}`,
    )
    .join(", ");

/** After "was". */
const replyWords: Readonly<Record<UnusableReply, string>> = {
  cut: "cut off",
  empty: "empty",
  refused: "refused",
  unparsable: "malformed",
};
