import { readLikeness, wordLikeness } from "../likeness.ts";

/** The same rule in other words. Another number, name in quotes or "never" is another rule. */
export function isSameRule(a: string, b: string): boolean {
  const [one, other] = [readLikeness(a), readLikeness(b)];
  if (one.plain === other.plain) return true;
  if (one.values !== other.values || denials(a) !== denials(b) || quoted(a) !== quoted(b)) return false;
  return wordLikeness(one, other) >= same;
}

const same = 0.75;

const denials = (text: string): number =>
  text.match(/\b(?:no|not|never|without|avoid|except|unless|instead|don't|do not)\b/giu)?.length ?? 0;

const quoted = (text: string): string =>
  [...text.matchAll(/[`"“”«»]([^`"“”«»]+)[`"“”«»]/gu)]
    .map(([, inside]) => inside)
    .toSorted()
    .join("\n");
