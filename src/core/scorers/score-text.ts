import { contains, exact, f1, icontains, startsWith, answers, regex, number } from "./text-checks.ts";
import type { TextCheck, CheckResult } from "./checked.ts";
import type { ScoreAside } from "../ports/scoring.ts";
import { json } from "./json.ts";
import { jsonSchema } from "./json-schema.ts";
import { isStraight, patternSchema } from "./pattern.ts";
import { type TextScorer, invalid, unread } from "./scorer.ts";
import { section } from "./section.ts";

/**
 * Scores a text by one check. Short texts that are read once are scored here; everything else runs away from the event
 * loop, with a limit of a second.
 *
 * A score must be the same when a run is resumed, on any machine, so lengths and depths are limited first: a larger
 * answer fails by its size. The second is for the rest, patterns and schemas that try everything, which take either
 * milliseconds or forever.
 */
export function scoreText(
  check: TextCheck,
  text: string,
  aside?: ScoreAside,
): CheckResult | Promise<CheckResult> {
  if (text.length > maxText) return unread(`to have at most ${maxText} characters`);
  return aside === undefined || isQuick(check, text) ? scoreTextHere(check, text) : aside(check, text);
}

/** The result of `scoreText`, computed right away in this thread. */
export function scoreTextHere({ kind, value }: TextCheck, text: string): CheckResult {
  const scorer: TextScorer | undefined = kind === "answers" ? answers : textScorers.get(kind);
  if (scorer === undefined) return invalid(`${kind} doesn't read a text`);
  const read = scorer.read(value);
  if ("kind" in read) return read;
  try {
    return scorer.score(read.value, { text });
  } catch (error) {
    // a full stack or too long a string comes from the answer's shape, not from the check
    if (error instanceof RangeError) return unread("to have a shape that can be read");
    throw error;
  }
}

/** The longest text that is scored; agents' answers may be longer. */
const maxText = 1_000_000;
/** The longest text that is scored in this thread. */
const maxQuick = 20_000;

function isQuick({ kind, value }: TextCheck, text: string): boolean {
  if (kind === "exact" || kind === "contains" || kind === "starts-with") return true;
  if (text.length > maxQuick || kind === "json-schema") return false;
  if (kind !== "regex") return true;
  const read = patternSchema.safeParse(value);
  return read.success && isStraight(read.data.pattern);
}

/** The scorers that only read a text. */
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
