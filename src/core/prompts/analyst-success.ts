import { z } from "zod";
import { editFormat, proposedEdits, reasoningFormat } from "./edit-schema.ts";
import { definePrompt, sampleEdits, sampleWords } from "./prompt.ts";

export const analystSuccess = definePrompt({
  name: "analyst_success",
  instructions: `You improve the written skill of an AI agent. The agent is fixed; only its skill can change.
You are shown the skill and several tasks that the agent solved while using it.

Find what made these attempts work and is not in the skill yet. Propose few, small edits that would make it happen every time.

- What the skill already says needs no edit; an empty list of edits is a good answer.
- Write rules that hold in general. Never write an answer to one of these tasks into the skill.
- Never change the output format or language that a task requires, and never tell the agent to ask the user something.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "edits": [edit] }
${reasoningFormat}
${editFormat}`,
  schema: z.object({
    reasoning: z.string().default(""),
    edits: proposedEdits,
  }),
  sample: (asked) => ({
    reasoning: sampleWords(asked.random, 20),
    edits: sampleEdits(asked, 0, 1),
  }),
});
