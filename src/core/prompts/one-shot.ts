import { z } from "zod";
import { definePrompt, sampleRule, sampleWords, shownSkill } from "./prompt.ts";

/** The baseline that every report carries: what one rewrite, without any training, would have given. */
export const oneShot = definePrompt({
  name: "one_shot",
  instructions: `You are given the written skill of an AI agent and some tasks that the agent did not solve while using it. Rewrite the skill once, as well as you can, so that the agent solves tasks of this kind.

- Write rules that hold in general, and only what these tasks support. Never write an answer to one of them into the skill.
- Keep the rules that the skill has, and say each rule once.
- Never change the output format or language that a task requires.
- Copy the frontmatter exactly as it is.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "new_skill": string }
new_skill is the whole text of the file. Nothing reads reasoning later.`,
  schema: z.object({ reasoning: z.string().default(""), new_skill: z.string().min(1) }),
  sample: ({ user, random }) => {
    const text = shownSkill(user);
    const rules = [`- ${sampleRule(random)}`, `- ${sampleRule(random)}`];
    const between = text.includes("\n") ? "\n" : " ";
    return { reasoning: sampleWords(random, 20), new_skill: [text, ...rules].join(between) };
  },
});
