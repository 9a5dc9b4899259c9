import { contains, exact, f1, icontains, startsWith, answers, regex, number } from "./text-checks.ts";
import type { TextCheck, CheckResult } from "./checked.ts";
import type { ScoreAside } from "../ports/scoring.ts";
import { json } from "./json.ts";
import { jsonSchema } from "./json-schema.ts";
import { isStraight, patternSchema } from "./pattern.ts";
import { type TextScorer, invalid, unread } from "./scorer.ts";
import { section } from "./section.ts";

/**
 * A text by one check. What is short and read once is scored here; all else away from the event loop, where somebody
 * ends it after a second.
 *
 * A score must be the same when a run is resumed, on any machine, so lengths and depths are bounded first: an answer
 * beyond them fails by its size. The second is for what is left, patterns and schemas that try everything, which take
 * either milliseconds or for ever.
 */
export function scoreText(
  check: TextCheck,
  text: string,
  aside?: ScoreAside,
): CheckResult | Promise<CheckResult> {
  if (text.length > maxText) return unread(`to have at most ${maxText} characters`);
  return aside === undefined || isQuick(check, text) ? scoreTextHere(check, text) : aside(check, text);
}

/** What `scoreText` comes to, at once and in this thread. */
export function scoreTextHere({ kind, value }: TextCheck, text: string): CheckResult {
  const scorer: TextScorer | undefined = kind === "answers" ? answers : textScorers.get(kind);
  if (scorer === undefined) return invalid(`${kind} does not read a text`);
  const read = scorer.read(value);
  if ("kind" in read) return read;
  try {
    return scorer.score(read.value, { text });
  } catch (error) {
    // the stack or a string's length: the answer's shape, not the check
    if (error instanceof RangeError) return unread("to have a shape that can be read");
    throw error;
  }
}

/** The longest text that is scored; agents' answers may have more. */
const maxText = 1_000_000;
/** The longest text that is scored at once. */
const maxQuick = 20_000;

function isQuick({ kind, value }: TextCheck, text: string): boolean {
  if (kind === "exact" || kind === "contains" || kind === "starts-with") return true;
  if (text.length > maxQuick || kind === "json-schema") return false;
  if (kind !== "regex") return true;
  const read = patternSchema.safeParse(value);
  return read.success && isStraight(read.data.pattern);
}

/** The scorers that read nothing but a text. */
export const textScorers: ReadonlyMap<string, TextScorer> = new Map<string, TextScorer>([
  ["exact", exact],
  ["contains", contains],
  ["icontains", icontains],
  ["starts-with", startsWith],
  ["regex", regex],
  ["f1", f1],
  ["number", number],
  ["json", json],
  ["json-schema", jsonSchema],
  ["section", section],
]);
