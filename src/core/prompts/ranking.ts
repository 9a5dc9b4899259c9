import { z } from "zod";
import { reasoningFormat } from "./edit-schema.ts";
import { definePrompt, sampleWords, shownEdits } from "./prompt.ts";
import { shuffle } from "../random.ts";

export const ranking = definePrompt({
  name: "ranking",
  instructions: `A pool of edits to the written skill of an AI agent is larger than what one step may apply. Choose the edits that will help most on tasks of this kind that nobody has seen yet.

- Prefer edits that many tasks call for, that fix a wrong rule, and that are concrete.
- Choose no two edits that contradict one another.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "selected": [number] }
selected holds the indices of the chosen edits, best first, at most as many as the budget allows.
${reasoningFormat}`,
  schema: z.object({
    reasoning: z.string().default(""),
    selected: z.array(z.coerce.number()),
  }),
  sample: ({ user, random }) => ({
    reasoning: sampleWords(random, 25),
    selected: shuffle([...shownEdits(user).keys()], random),
  }),
});
