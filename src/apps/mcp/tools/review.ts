import { z } from "zod";
import type { Rule } from "../../../core/rules/rule.ts";
import { type Reviewed, review } from "../../../run/offer/proposals.ts";
import { reviewLines } from "../../../show/review-lines.ts";
import { idArgument } from "../arguments.ts";
import { line } from "../printable.ts";
import { defineTool, reads } from "../tool.ts";

const mostRules = 20;

export const reviewOutput = z.strictObject({
  waiting: z.array(z.string()).describe("ids of all waiting proposals of nights"),
  run: z.string().nullable().describe("the proposal below; null if none was named and several wait"),
  document: z.string().nullable(),
  state: z.string().nullable(),
  rules: z.array(
    z.strictObject({
      rule: z.string().describe("its id"),
      text: z.string(),
      known: z.string().describe("the evidence for it"),
      status: z.enum(["proven", "measured", "open", "stated", "unverified", "edited"]),
      said: z.string().nullable().describe("how often the person said it, and when"),
      words: z.array(z.string()).describe("their words"),
      own: z.string().nullable().describe("the rule in their own words, for the decision `own`"),
      same: z.array(z.string()).describe("wishes that it may be the same as, for the decision `same`"),
      powers: z.array(z.string()).describe("what it would let an agent do that the file doesn't allow now"),
      decision: z.string().nullable(),
    }),
  ),
  more: z.int().describe("the number of rules that aren't listed"),
});

export const reviewTool = defineTool({
  title: "Review a proposal",
  description:
    "Shows a proposal of a training, a pruning or a night, rule by rule: its text, its evidence, what the person said and how often, and the decisions so far. Go through it with the person, one rule at a time, and record their decisions with `decide`. Read-only.",
  input: z.strictObject({ run: idArgument.optional() }),
  output: reviewOutput,
  kind: "looks",
  annotations: reads,
  call: async ({ run }, call) => showReview(await review({ ...(await call.project()), run })),
});

export function showReview({ waiting, review: shown, diff }: Reviewed) {
  const rules = shown?.rules ?? [];
  const text =
    shown === undefined || diff === undefined
      ? waiting.length === 0
        ? "No proposal waits."
        : `${waiting.length} proposals wait: ${waiting.map(({ id }) => id).join(", ")}. Name one.`
      : [...reviewLines(shown, 100), "", ...diff.lines].join("\n");
  return {
    text,
    data: {
      waiting: waiting.slice(0, mostRules).map(({ id }) => id),
      run: shown?.id ?? null,
      document: shown === undefined ? null : line(shown.document.name),
      state: shown?.state ?? null,
      rules: rules.slice(0, mostRules).map(ruleData),
      more: Math.max(rules.length - mostRules, 0),
    },
  };
}

function ruleData({ id, text: words, label, status, wish, provenance, powers, decision }: Rule) {
  const said = wish?.said.map(({ text }) => text) ?? provenance.conversations.flatMap((one) => one.words);
  return {
    rule: id,
    text: line(words, 1000),
    known: line(label),
    status,
    said: wish === undefined ? null : line(wish.sentence),
    words: said
      .filter((text) => text !== "")
      .slice(-3)
      .map((text) => line(text)),
    own: wish?.wordings[0] === undefined ? null : line(wish.wordings[0], 1000),
    same: (wish?.sameAs ?? []).slice(0, 3).map((one) => line(`${one.wish} ${one.text}`)),
    powers: powers.slice(0, 5).map(({ kind, item }) => line(`${kind}: ${item}`)),
    decision: decision?.deed ?? null,
  };
}
