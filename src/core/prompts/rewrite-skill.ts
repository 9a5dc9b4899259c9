import { z } from "zod";
import { definePrompt, sampleRule, sampleWords, shownEdits, shownSkill } from "./prompt.ts";

export const rewriteSkillPrompt = definePrompt({
  name: "rewrite_skill",
  instructions: `You maintain the written skill of an AI agent. You are shown its main file and a list of changes that were found worth making. Write the whole file anew so that it holds these changes and reads as one piece.

- Keep every rule that the changes do not touch, in substance and in its exact formats, names and limits.
- Merge what overlaps, order it for a reader, and cut words that carry nothing.
- Copy the frontmatter exactly as it is.
- Add no rule that neither the file nor the changes contain.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "new_skill": string }
new_skill is the whole text of the file. Nothing reads reasoning later.`,
  schema: z.object({ reasoning: z.string().default(""), new_skill: z.string().min(1) }),
  sample: ({ user, random }) => {
    const text = shownSkill(user);
    // a rewrite without a list of changes finds some by itself
    const changes = shownEdits(user).flatMap(({ content }) => content ?? []);
    const rules = changes.length > 0 ? changes : [`- ${sampleRule(random)}`, `- ${sampleRule(random)}`];
    const between = text.includes("\n") ? "\n" : " ";
    return { reasoning: sampleWords(random, 20), new_skill: [text, ...rules].join(between) };
  },
});
