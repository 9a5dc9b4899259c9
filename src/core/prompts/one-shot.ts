import { rewriteSkillPrompt } from "./rewrite-skill.ts";
import { definePrompt } from "./prompt.ts";

/** The baseline that every report carries: what one rewrite, without any training, would have given. */
export const oneShot = definePrompt({
  ...rewriteSkillPrompt,
  name: "one_shot",
  instructions: `You are given the written skill of an AI agent and some tasks that the agent did not solve while using it. Rewrite the skill once, as well as you can, so that the agent solves tasks of this kind.

- Write rules that hold in general, and only what these tasks support. Never write an answer to one of them into the skill.
- Keep the rules that the skill has, and say each rule once.
- Never change the output format or language that a task requires.
- Copy the frontmatter exactly as it is.`,
});
