import { z } from "zod";
import { definePrompt, sampleWords } from "./prompt.ts";

/** Drafts for a person to review; nothing is gated by them before that. */
export const draftTasks = definePrompt({
  name: "draft_tasks",
  instructions: `You are given the written skill of an AI agent. Write tasks with which a person can find out whether an agent that uses this skill does its job.

- Each task is one request as a real user would write it, with everything that is needed to answer it. Vary length, tone and difficulty.
- Cover the rules of the skill, above all those that are easy to miss, and cases that the skill should handle but does not mention.
- Each task carries two to four expectations: short sentences about the result that somebody who sees only the task and the result can answer with yes or no. No expectation may be met by every answer.
- If the existing tasks are answered by a fixed text, give each new one its \`answer\` in place of expectations. It is the whole reply, letter for letter.
- Expectations and answers follow from the skill, the tasks that exist and the rules on trial. Ask for nothing that these leave open. State the expected value in the expectation itself.
- Never put an expectation, or the answer itself, into the request.
- Repeat no task that exists. Write those that tell most: vary a kind that fails or passes only sometimes, or ask about a part of the skill that no task covers. If rules on trial are listed, write requests that go wrong without one of them.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "tasks": [{ "input": string, "expectations": [string] }] }
A task with a fixed answer is { "input": string, "answer": string }.`,
  schema: z.object({
    tasks: z
      .array(
        z
          .object({
            input: z.string().trim().min(1),
            expectations: z.array(z.string().trim().min(1)).default([]),
            answer: z.string().trim().default(""),
          })
          .refine(
            ({ expectations, answer }) => expectations.length > 0 || answer !== "",
            "must have expectations or an answer",
          ),
      )
      .min(1),
  }),
  sample: ({ user, random }) => ({
    tasks: Array.from({ length: Number(/Write (\d+) tasks/.exec(user)?.[1] ?? 1) }, () => ({
      input: sampleWords(random, 40),
      expectations: [sampleWords(random, 12), sampleWords(random, 12), sampleWords(random, 12)],
      answer: "",
    })),
  }),
});
