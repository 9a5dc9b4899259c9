import { type WordsOfText, readLikeness, wordLikeness } from "../likeness.ts";

/** The same rule in other words. Another number, name in quotes or "never" is another rule. */
export function isSameRule(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => readLikeness(text.replaceAll(fillers, " "))) as [
    WordsOfText,
    WordsOfText,
  ];
  if (one.plain === other.plain) return true;
  if (one.values !== other.values || denials(a) !== denials(b) || quoted(a) !== quoted(b)) return false;
  return wordLikeness(one, other) >= same;
}

/** Words that make a rule no other rule. */
const fillers =
  /\b(?:always|please|must|should|make sure(?: to| that)?|be sure to|ensure(?: that)?|remember to)\b/giu;

const same = 0.75;

const denials = (text: string): number =>
  text.match(/\b(?:no|not|never|without|avoid|except|unless|instead|don't|do not)\b/giu)?.length ?? 0;

const quoted = (text: string): string =>
  [...text.matchAll(/[`"“”«»]([^`"“”«»]+)[`"“”«»]/gu)]
    .map(([, inside]) => inside)
    .toSorted()
    .join("\n");
