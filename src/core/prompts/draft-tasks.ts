import { z } from "zod";
import { definePrompt, sampleWords } from "./prompt.ts";

/** Drafts for a person to review; nothing is gated by them before that. */
export const draftTasks = definePrompt({
  name: "draft_tasks",
  instructions: `You are given the written skill of an AI agent. Write tasks with which a person can find out whether an agent that uses this skill does its job.

- Each task is one request as a real user would write it, with everything that is needed to answer it. Vary length, tone and difficulty.
- Cover the rules of the skill, above all those that are easy to miss, and cases that the skill should handle but does not mention.
- Each task carries two to four expectations: short sentences about the result that somebody who sees only the task and the result can answer with yes or no. No expectation may be met by every answer.
- Never put an expectation, or the answer itself, into the request.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "tasks": [{ "input": string, "expectations": [string] }] }`,
  schema: z.object({
    tasks: z
      .array(
        z.object({ input: z.string().trim().min(1), expectations: z.array(z.string().trim().min(1)).min(1) }),
      )
      .min(1),
  }),
  sample: ({ user, random }) => ({
    tasks: Array.from({ length: Number(/Write (\d+) tasks/.exec(user)?.[1] ?? 1) }, () => ({
      input: sampleWords(random, 40),
      expectations: [sampleWords(random, 12), sampleWords(random, 12), sampleWords(random, 12)],
    })),
  }),
});
