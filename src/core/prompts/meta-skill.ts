import { z } from "zod";
import { definePrompt, sampleWords } from "./prompt.ts";

export const metaSkillPrompt = definePrompt({
  name: "meta_skill",
  instructions: `You improve the written skill of an AI agent over many steps. You are shown the skill one epoch ago and now, how the same tasks went under both, which edits were accepted or rejected, and the notes you kept so far.

Write notes for yourself, the editor: which kinds of edits helped, which did nothing or did harm, what to try next. The agent never sees them.

- At most fifteen lines. Replace the earlier notes; keep what is still true of them.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "memory": string }
"memory" is what you will be shown in later steps. Nothing reads reasoning later.`,
  schema: z.object({ reasoning: z.string().default(""), memory: z.string() }),
  sample: ({ random }) => ({ reasoning: sampleWords(random, 20), memory: sampleWords(random, 60) }),
});
