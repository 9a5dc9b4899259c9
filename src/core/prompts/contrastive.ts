import { z } from "zod";
import { editFormat, proposedEdits, reasoningFormat } from "./edit-schema.ts";
import { definePrompt, sampleEdits, sampleWords } from "./prompt.ts";

export const contrastive = definePrompt({
  name: "contrastive",
  instructions: `You improve the written skill of an AI agent. The agent is fixed; only its skill can change.
For each task below the agent was run several times under the same skill. You see one attempt that went well and one that went badly.

Find what the good attempts did that the bad ones did not, and propose few, short edits that would make the good behaviour happen every time.

- Write rules that hold in general, with exact formats, names and limits where the good attempts show them. Never write an answer to one of these tasks into the skill.
- Luck needs no rule: propose nothing where the attempts differ by chance only.
- Never change the output format or language that a task requires, and never tell the agent to ask the user something.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "edits": [edit] }
${reasoningFormat}
${editFormat}`,
  schema: z.object({ reasoning: z.string().default(""), edits: proposedEdits }),
  sample: (asked) => ({
    reasoning: sampleWords(asked.random, 25),
    edits: sampleEdits(asked, asked.random() < 0.9 ? 1 : 0),
  }),
});
