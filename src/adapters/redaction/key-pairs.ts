import { classes, isUuid } from "./secret-value.ts";
import type { Span } from "./span.ts";

/** Secrets that go with a key's id and have no form of their own. They are in the id's row or a few lines on. */
export function findKeyPairs(softened: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { hint, id, secret } of pairs) {
    if (!softened.includes(hint)) continue;
    for (const match of softened.matchAll(id)) {
      const from = Math.max(0, match.index - reach);
      const near = softened.slice(from, match.index + match[0].length + reach);
      for (const found of near.matchAll(secret)) {
        const start = from + found.index;
        const isOwn = start < match.index + match[0].length && start + found[0].length > match.index;
        if (isOwn || (isUuid(found[0]) && isNamedId.test(near.slice(0, found.index)))) continue;
        if (classes(found[0]) >= 2 && new Set(found[0]).size >= 8)
          spans.push({ start, end: start + found[0].length, kind: "pair" });
      }
    }
  }
  return spans;
}

/** The text before the value of `"turn_id": "` and similar: the name of something else. */
const isNamedId = /(?:Id|ID|\bid|[_-]id)["']?\s{0,3}[:=]\s{0,3}["']?$/;

const reach = 240;
const alone = (body: string): RegExp => new RegExp(`(?<![\\w/+.=-])${body}(?![\\w/+=-])`, "g");

interface Pair {
  readonly hint: string;
  readonly id: RegExp;
  readonly secret: RegExp;
}

const pairs: readonly Pair[] = [
  ...["AKIA", "ASIA"].map((hint) => ({
    hint,
    id: alone(`${hint}[A-Z0-9]{16}`),
    secret: alone("[A-Za-z0-9/+]{40}"),
  })),
  { hint: "AC", id: alone("AC[0-9a-f]{32}"), secret: alone("[0-9a-f]{32}") },
  { hint: "SK", id: alone("SK[0-9a-f]{32}"), secret: alone("[A-Za-z0-9]{32}") },
  { hint: "LTAI", id: alone("LTAI[A-Za-z0-9]{12,20}"), secret: alone("[A-Za-z0-9]{30}") },
  { hint: "AKID", id: alone("AKID[A-Za-z0-9]{32}"), secret: alone("[A-Za-z0-9]{32}") },
  { hint: "GOOG", id: alone("GOOG[A-Z0-9]{10,60}"), secret: alone("[A-Za-z0-9/+]{40}") },
  { hint: "rzp_", id: alone("rzp_(?:live|test)_[A-Za-z0-9]{14}"), secret: alone("[A-Za-z0-9]{24}") },
  {
    hint: "lient",
    id: /\bclient[ _-]?id\b["']?\s{0,3}[:=,|]\s{0,3}["']?[\w.-]{8,80}/gi,
    secret: alone("(?:[0-9a-f]{32,64}|[A-Za-z0-9_~-]{32,64})"),
  },
];
