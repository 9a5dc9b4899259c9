import { z } from "zod";
import { definePrompt, drawCount, sampleWords, shownEdits } from "./prompt.ts";

export const learningRate = definePrompt({
  name: "learning_rate",
  instructions: `A pool of edits to the written skill of an AI agent is ready. Decide how many of them one step should apply.

- Apply few when the skill already works on most tasks, when the edits overlap, or when earlier ones were rejected.
- Apply more when many tasks fail for different reasons and the edits are independent and well supported.
- Zero is right when no edit is worth the risk.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "edits": number }
"edits" is how many of the pool to apply. Nothing reads reasoning later.`,
  schema: z.object({ reasoning: z.string().default(""), edits: z.coerce.number().int().min(0) }),
  sample: ({ user, random }) => ({
    reasoning: sampleWords(random, 25),
    edits: drawCount(random, shownEdits(user).length),
  }),
});
