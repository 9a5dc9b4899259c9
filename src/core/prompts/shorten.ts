import { z } from "zod";
import { definePrompt } from "./prompt.ts";

export const shorten = definePrompt({
  name: "shorten",
  instructions: `One rule of an AI agent's skill is needed, but it may be longer than it has to be. Write it with as few words as keep its whole meaning: every name, number, limit, condition and exact wording that the agent must use. Add nothing. Keep its form: a list item stays a list item. If it cannot be shorter, give it back as it is.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "text": string }
The new text of this one rule.`,
  schema: z.object({ text: z.string().min(1) }),
  sample: ({ user, random }) => {
    const [, text = "It"] = /<rule>\n([\s\S]*?)\n<\/rule>/.exec(user) ?? [];
    return { text: random() < 0.3 ? text : text.slice(0, Math.ceil(text.length * (0.5 + 0.4 * random()))) };
  },
});
