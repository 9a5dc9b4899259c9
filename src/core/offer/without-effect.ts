import { isNoBetter } from "../rules/evidence/standing.ts";
import type { Rule } from "../rules/rule.ts";

/**
 * Whether a rule was measured and did no better with it than without, over all tasks of its habit. It stays on offer, and is taken
 * only by name. A rule that works or is proven is never left out.
 */
export function isWithoutEffect({
  status,
  works,
  evidence,
}: Pick<Rule, "status" | "works" | "evidence">): boolean {
  const gains = evidence.flatMap((one) => (one.kind === "tosses" ? [one.with - one.without] : []));
  return status !== "proven" && !works && isNoBetter(gains);
}

/** A wish is taken unasked once the person stated it in so many conversations. */
const fewestTalks = 2;

/**
 * Why a rule that nobody decided on is left out, in a few words; undefined where it is taken. Neither a wish that was stated
 * in one conversation, or only in questions, nor what somebody else said is the person's standing word yet.
 */
export function whyLeftOut(rule: Rule): string | undefined {
  if (isWithoutEffect(rule)) return "measured without effect";
  const { status, works, wish, provenance } = rule;
  if (status !== "stated" || works || wish === undefined) return undefined;
  if (wish.own === false) return "not asked for by yourself";
  const talks = provenance.conversations.filter(
    ({ words }) => words.length === 0 || words.some((text) => !/[?？]\s*$/.test(text)),
  );
  return talks.length < fewestTalks ? "stated in one conversation" : undefined;
}
