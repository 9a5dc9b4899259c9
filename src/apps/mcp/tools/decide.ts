import { shortId } from "../../../core/rules/rule-words.ts";
import { z } from "zod";
import { WhetstoneError } from "../../../core/errors.ts";
import { type Review, decisionsIn, findRule } from "../../../core/offer/review.ts";
import type { Rule } from "../../../core/rules/rule.ts";
import type { RuleChoices } from "../../../run/offer/choose.ts";
import { review } from "../../../run/offer/proposals.ts";
import { idArgument, ruleArgument, words } from "../arguments.ts";
import { defineTool, type McpCall } from "../tool.ts";
import { reviewOutput, showReview } from "./review.ts";

const deeds = ["accept", "own", "edit", "same", "drop", "reject"] as const;

export const decideTool = defineTool({
  title: "Record a decision",
  description:
    "Records the person's decision on one rule of a proposal, from a training, a pruning or a night. Record only what they said in this conversation, never your own opinion. `accept`: take it as it is. `own`: take it in their own words. `edit`: take it with `words` as its text; they are asked, because it counts as theirs. `same`: it is the rule or wish whose id is in `words`. `drop`: not now. `reject`: never again, with their reason in `words`. Live files don't change: adopting is another step.",
  input: z.strictObject({
    run: idArgument,
    rule: ruleArgument,
    decision: z.enum(deeds),
    words: words(4000)
      .optional()
      .describe("edit: the new text; same: the id of the other rule or wish; reject: the reason"),
  }),
  output: reviewOutput,
  kind: "writes",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async call({ run, rule: name, decision, words: said }, call) {
    const project = await call.project();
    const { review: found } = await review({ ...project, run });
    if (found === undefined) throw needs("the id of a proposal", "run");
    const rule = findRule(found, name);
    const choice = await choiceOf({ rule, decision, said, run: found.id }, call);
    return showReview(await review({ ...project, run: found.id, ...withTaken(found, rule.id, choice) }));
  },
});

/** Repeats earlier accepted rules, because the library forgets them when a call names others. */
function withTaken(found: Review, rule: string, choice: RuleChoices): RuleChoices {
  const taken = Object.entries(decisionsIn(found)).filter(([id]) => id !== rule);
  return {
    ...choice,
    accept: [...taken.flatMap(([id, { deed }]) => (deed === "accept" ? [id] : [])), ...(choice.accept ?? [])],
    edit: {
      ...Object.fromEntries(taken.flatMap(([id, one]) => (one.deed === "edit" ? [[id, one.text]] : []))),
      ...choice.edit,
    },
  };
}

interface Said {
  readonly run: string;
  readonly rule: Rule;
  readonly decision: (typeof deeds)[number];
  readonly said?: string;
}

async function choiceOf({ run, rule, decision, said }: Said, call: McpCall): Promise<RuleChoices> {
  const { id, wish } = rule;
  switch (decision) {
    case "accept":
      return { accept: [id] };
    case "drop":
      return { drop: [id] };
    case "own": {
      const [own] = wish?.wordings ?? [];
      if (own === undefined)
        throw new WhetstoneError("not-found", `Rule ${shortId(rule)} doesn't have the person's own words.`, {
          hint: "Use `accept` or `edit`.",
        });
      return { edit: { [id]: own } };
    }
    case "same":
      if (said === undefined) throw needs("the id of another rule or wish", "words");
      return { same: { [id]: said } };
    case "reject":
      if (said === undefined) throw needs("the person's reason", "words");
      return { reject: { [id]: said } };
    case "edit":
      if (said === undefined) throw needs("the new text", "words");
      // it will count as the person's own words, which may do things that a model's may not
      await call.confirm({
        message: `Accept rule ${shortId(rule)} of proposal ${run} with this text, as your own words:\n\n${said}`,
        yes: "These are my words",
        command: `whetstone review ${run} --edit ${shortId(rule)}=<file with the text>`,
      });
      return { edit: { [id]: said } };
  }
}

const needs = (what: string, where: string): WhetstoneError =>
  new WhetstoneError("usage", `This decision needs ${what}.`, { hint: `Set \`${where}\` to it.` });
