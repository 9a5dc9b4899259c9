import { z } from "zod";
import { definePrompt, sampleRule, sampleWords } from "./prompt.ts";

export const slowUpdatePrompt = definePrompt({
  name: "slow_update",
  instructions: `You watch over the written skill of an AI agent for a long time. You are shown the skill as it was one epoch ago and as it is now, the same tasks run under both, and the guidance you gave last time, if any.

Write short guidance for the agent that holds over many epochs: what must not be forgotten although newer rules push in another direction, which mistakes return, which rules work together. Tasks that became worse deserve most attention.

- At most ten lines. Replace the earlier guidance; keep what is still true of it.
- Never write an answer to one of these tasks into it, and never change a required output format.
- Leave guidance empty when there is nothing lasting to say.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "guidance": string }
"guidance" becomes a block of its own in the skill if it is measured to help. It need not repeat rules. Nothing reads reasoning later.`,
  schema: z.object({ reasoning: z.string().default(""), guidance: z.string() }),
  sample: ({ random }) => ({ reasoning: sampleWords(random, 20), guidance: `- ${sampleRule(random)}` }),
});
