import type { Digest } from "../../core/sleep/digest.ts";
import { conversationText } from "../../core/sleep/mine.ts";

/** For a person: of each conversation the very text that a miner would be sent, and what was taken out of it. */
export function previewLines(digests: readonly Digest[]): readonly string[] {
  if (digests.length === 0) return ["No conversation is new: nothing would leave this machine."];
  const texts = digests.map(conversationText);
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  const lines = [
    `${count(digests.length, "conversation")} would be sent to the miner, ${size} characters in all:`,
    `taken out: ${describeTaken(texts)}`,
  ];
  for (const [at, digest] of digests.entries()) {
    const text = texts[at] ?? "";
    lines.push(
      "",
      printable(
        `${digest.id}, ${new Date(digest.endedAt).toISOString()}, taken out: ${describeTaken([text])}`,
      ),
      ...text.split(/\r?\n/).map((line) => `  ${printable(line)}`.trimEnd()),
    );
  }
  return lines;
}

/** `3 secrets (2 github, 1 known)`: how many different ones, by kind. */
function describeTaken(texts: readonly string[]): string {
  const kinds = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const [placeholder, kind = ""] of text.matchAll(/«SECRET:([a-z\d-]+):\d+»/g))
      kinds.set(kind, (kinds.get(kind) ?? new Set()).add(placeholder));
  }
  if (kinds.size === 0) return "nothing";
  const byKind = [...kinds]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, all]) => `${all.size} ${kind}`);
  const total = [...kinds.values()].reduce((sum, all) => sum + all.size, 0);
  return `${count(total, "secret")} (${byKind.join(", ")})`;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;

/** A terminal shows it and does not obey it: what cannot be seen is written as its number. */
const printable = (line: string): string =>
  line.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (hidden) => {
    return `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`;
  });
