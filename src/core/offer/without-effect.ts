import { isNoBetter } from "../rules/evidence/standing.ts";
import type { Rule } from "../rules/rule.ts";

/**
 * Whether a rule was measured and did no better than without it, over all tasks of its habit. It stays on offer, but is
 * only taken by name. A rule that works or is proven is never left out.
 */
export function isWithoutEffect({
  status,
  works,
  evidence,
}: Pick<Rule, "status" | "works" | "evidence">): boolean {
  const gains = evidence.flatMap((one) => (one.kind === "tosses" ? [one.with - one.without] : []));
  return status !== "proven" && !works && isNoBetter(gains);
}

/** A wish is taken by default once the person stated it in this many conversations. */
const fewestTalks = 2;

/**
 * Why a rule without a decision is left out, in a few words; undefined if it's taken. A wish stated in a single
 * conversation or only in questions, or by somebody else, isn't yet the person's standing request.
 */
export function whyLeftOut(rule: Rule): string | undefined {
  if (isWithoutEffect(rule)) return "measured without effect";
  const { status, works, wish, provenance } = rule;
  if (status !== "stated" || works || wish === undefined) return undefined;
  if (wish.own === false) return "not your own request";
  const talks = provenance.conversations.filter(
    ({ words }) => words.length === 0 || words.some((text) => !/[?？]\s*$/.test(text)),
  );
  return talks.length < fewestTalks ? "stated in one conversation" : undefined;
}
