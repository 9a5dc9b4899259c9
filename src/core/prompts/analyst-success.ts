import { z } from "zod";
import { editFormat, proposedEdits } from "./edit-schema.ts";
import { definePrompt, sampleEdits, sampleWords } from "./prompt.ts";

export const analystSuccess = definePrompt({
  name: "analyst_success",
  instructions: `You improve the written skill of an AI agent. The agent is fixed; only its skill can change.
You are shown the skill and several tasks that the agent solved while using it.

Find what made these attempts work that the skill does not say yet, and would make it work every time. Propose few, small edits that keep such behaviour.

- What the skill already says needs no edit; an empty list of edits is a good answer.
- Write rules that hold in general. Never write an answer to one of these tasks into the skill.
- Never change the output format or language that a task requires, and never tell the agent to ask the user something.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "edits": [edit] }
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
