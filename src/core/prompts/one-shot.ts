import { rewriteSkillPrompt } from "./rewrite-skill.ts";
import { definePrompt } from "./prompt.ts";

/** The baseline that every report carries: what one rewrite, without any training, would have given. */
export const oneShot = definePrompt({
  ...rewriteSkillPrompt,
  name: "one_shot",
  instructions: `You are given the written skill of an AI agent and some tasks that the agent did not solve while using it. Rewrite the skill once, as well as you can, so that the agent solves tasks of this kind.

- Write rules that hold in general. Never write an answer to one of these tasks into the skill.
- Never change the output format or language that a task requires.
- Copy the frontmatter and everything between whetstone markers exactly as they are.`,
});
