import { z } from "zod";
import { editFormat, proposedEdits, reasoningFormat } from "./edit-schema.ts";
import { type Prompt, definePrompt, drawCount, sampleEdits, sampleWords } from "./prompt.ts";

const schema = z.object({
  reasoning: z.string().default(""),
  failure_summary: z
    .array(z.object({ failure_type: z.string(), description: z.string().default("") }))
    .catch([])
    .default([]),
  edits: proposedEdits,
});
const whole = schema.extend({
  show: z
    .array(z.object({ task: z.coerce.string(), parts: z.array(z.number()) }))
    .catch([])
    .default([]),
});

/** The findings of an analyst; one who reads successes has fewer. */
export type Analysis = Pick<z.infer<typeof schema>, "reasoning" | "edits"> & Partial<z.infer<typeof whole>>;

export const analystError = definePrompt({
  name: "analyst_error",
  instructions: `You improve the written skill of an AI agent. The agent is fixed; only its skill can change.
You are shown the skill and several tasks that the agent did not solve while using it, with what it answered and why that was wrong.

Find what the failures have in common: knowledge that the skill lacks, a rule that is vague, missing or wrong, a step that is skipped. Then propose few, small edits that would prevent failures of this kind on other tasks too.

- Write rules that hold in general. Never write an answer to one of these tasks into the skill.
- State a rule once, concretely, with exact formats, names and limits where the evidence shows them.
- Prefer fixing an existing rule over adding one next to it, and put one rule into each edit.
- Never change the output format or language that a task requires, and never tell the agent to ask the user something.
- Propose only what these tasks or the reasons given for earlier edits support. Fewer edits than the budget are welcome.
- If a judgement does not show what was expected, propose only what is certain. If a limit lies between the values you see, name the values on both sides.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "failure_summary": [{ "failure_type": string, "description": string }], "edits": [edit] }
A failure_type is short. Its description says what goes wrong. Later steps see both while the failure is open.
${reasoningFormat}
${editFormat}`,
  schema,
  sample: (asked) => ({
    reasoning: sampleWords(asked.random, 20),
    failure_summary: Array.from({ length: 1 + drawCount(asked.random, 3) }, () => ({
      failure_type: sampleWords(asked.random, 5),
      description: sampleWords(asked.random, 12),
    })),
    edits: sampleEdits(asked, asked.random() < 0.9 ? 1 : 0),
  }),
});

/** The same for one who may ask for parts that were left out. */
export const analystWhoMayAsk: Prompt<Analysis> = { ...analystError, schema: whole };
