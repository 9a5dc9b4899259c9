import { z } from "zod";
import { editFormat, proposedEdits } from "./edit-schema.ts";
import { definePrompt, drawCount, sampleEdits, sampleRule, sampleWords } from "./prompt.ts";

const schema = z.object({
  reasoning: z.string().default(""),
  failure_summary: z
    .array(
      z.object({
        failure_type: z.string(),
        count: z.coerce.number().catch(1).default(1),
        description: z.string().default(""),
      }),
    )
    .catch([])
    .default([]),
  edits: proposedEdits,
  // asked for only by skill-aware reflection
  appendix_notes: z.array(z.string()).catch([]).default([]),
});

/** The findings of an analyst; one who reads successes has fewer. */
export type Analysis = Pick<z.infer<typeof schema>, "reasoning" | "edits"> & Partial<z.infer<typeof schema>>;

export const analystError = definePrompt({
  name: "analyst_error",
  instructions: `You improve the written skill of an AI agent. The agent is fixed; only its skill can change.
You are shown the skill and several tasks that the agent did not solve while using it, with what it answered and why that was wrong.

Find what the failures have in common: knowledge that the skill lacks, a rule that is vague, missing or wrong, a step that is skipped. Then propose few, small edits that would prevent failures of this kind on other tasks too.

- Write rules that hold in general. Never write an answer to one of these tasks into the skill.
- State a rule once, concretely, with exact formats, names and limits where the evidence shows them.
- Prefer mending an existing rule over adding one beside it.
- Never change the output format or language that a task requires, and never tell the agent to ask the user something.
- Propose nothing that these tasks do not support. Fewer edits than the budget are welcome.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "failure_summary": [{ "failure_type": string, "count": number, "description": string }], "edits": [edit] }
${editFormat}`,
  schema,
  sample: (asked) => ({
    reasoning: sampleWords(asked.random, 20),
    failure_summary: Array.from({ length: 1 + drawCount(asked.random, 3) }, () => ({
      failure_type: sampleWords(asked.random, 5),
      count: 2,
      description: sampleWords(asked.random, 12),
    })),
    edits: sampleEdits(asked, asked.random() < 0.9 ? 1 : 0),
    ...(asked.user.includes('"appendix_notes"')
      ? { appendix_notes: Array.from({ length: drawCount(asked.random, 2) }, () => sampleRule(asked.random)) }
      : {}),
  }),
});
