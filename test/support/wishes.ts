import type { Wish, WishSentence } from "../../src/sleep/wishes/wish.ts";

export const day = 86_400_000;
/** 1 November 2026, noon. */
export const firstDay = Date.UTC(2026, 10, 1, 12);

/** Something that was said on the nth day of a history, in a conversation of its own. */
export const saidOn = (nth: number, text: string, more: Partial<WishSentence> = {}): WishSentence => ({
  text,
  conversation: `c-${nth}`,
  kind: "correction",
  isRule: false,
  at: firstDay + (nth - 1) * day,
  agent: "claude-code",
  ...more,
});

/** An open wish of the memory file in the person's own words, said once in `c-fix`. */
export const wishOf = (text: string, more: Partial<Wish> = {}): Wish => ({
  id: "w-000000000001",
  scope: "project",
  said: [saidOn(1, text, { conversation: "c-fix", isRule: true, lasts: "always" })],
  documents: ["memory:CLAUDE.md"],
  wordings: [{ text, by: "own", from: ["c-fix"] }],
  tasks: [],
  state: { kind: "open", at: firstDay, reason: "You said it." },
  sameAs: [],
  absorbed: [],
  ...more,
});
