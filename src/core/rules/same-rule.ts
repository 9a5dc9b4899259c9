import { readLikeness, wordLikeness } from "../likeness.ts";
import { remember } from "../remember.ts";

/** The same rule in other words. A different number, quoted name, "never", direction or topic makes it another rule. */
export function isSameRule(a: string, b: string): boolean {
  const [one, other] = [readRule(a), readRule(b)];
  if (one.plain === other.plain) return true;
  if (one.values !== other.values || one.denials !== other.denials || one.quoted !== other.quoted)
    return false;
  if (one.directions !== other.directions || isEachOfItsOwn(one.topics, other.topics)) return false;
  return wordLikeness(one, other) >= same;
}

/** Whether the first rule says everything the second does: one with an additional topic improves it and isn't a repeat. */
export function saysAllOf(a: string, b: string): boolean {
  const [one, other] = [readRule(a), readRule(b)];
  return isSameRule(a, b) && (one.plain === other.plain || !hasOwn(other.topics, one.topics));
}

/** Each rule of a search is compared with every later one. */
const readRule = remember(4096, (text) => ({
  ...readLikeness(text.replaceAll(fillers, " ")),
  denials: denials(text),
  directions: directionsIn(text),
  quoted: quoted(text),
}));

/** Words that don't make a rule a different one. */
const fillers =
  /\b(?:always|please|must|should|make sure(?: to| that)?|be sure to|ensure(?: that)?|remember to)\b/giu;

const same = 0.75;

const denials = (text: string): number =>
  text.match(/\b(?:no|not|never|without|avoid|except|unless|instead|don't|do not)\b/giu)?.length ?? 0;

/** Words that reverse a rule: too common to be topics, or a topic of one side alone. */
const directions =
  /\b(?:before|after|up|down|above|below|over|under|upper|lower|higher|more|less|fewer|most|least|longer|shorter|first|last|earlier|later|include|exclude|increase|decrease)\b/giu;

const directionsIn = (text: string): string =>
  (text.toLowerCase().match(directions) ?? []).toSorted().join(" ");

/** Whether each side has a topic that the other doesn't name: "Norway" here, "Sweden" there. */
const isEachOfItsOwn = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  hasOwn(a, b) && hasOwn(b, a);

/** Whether a side has a topic that the other doesn't name. Endings that likeness keeps don't count: "ask" and "asks". */
const hasOwn = (own: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...own].some((topic) => ![...others].some((one) => one.startsWith(topic) || topic.startsWith(one)));

const quoted = (text: string): string =>
  [...text.matchAll(/[`"“”«»]([^`"“”«»]+)[`"“”«»]/gu)]
    .map(([, inside]) => inside)
    .toSorted((a, b) => ((a ?? "") < (b ?? "") ? -1 : 1))
    .join("\n");
