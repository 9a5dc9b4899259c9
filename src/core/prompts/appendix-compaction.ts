import { z } from "zod";
import { definePrompt } from "./prompt.ts";

export const appendixCompaction = definePrompt({
  name: "appendix_compaction",
  instructions: `The skill of an AI agent ends with reminders of rules that it has but did not follow. There are too many of them. Write fewer: join reminders of the same rule, drop what another one covers, keep exact names and limits.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "notes": [string] }
One short sentence each, at most half as many as shown.`,
  schema: z.object({ notes: z.array(z.string()).min(1) }),
  sample: ({ user }) => {
    const notes = [...user.matchAll(/^\d+\. (.+)$/gm)].map(([, note]) => note);
    return { notes: notes.slice(0, Math.max(1, Math.floor(notes.length / 2))) };
  },
});
