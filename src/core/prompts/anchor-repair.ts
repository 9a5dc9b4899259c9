import { z } from "zod";
import { definePrompt, shownEdits } from "./prompt.ts";

export const anchorRepair = definePrompt({
  name: "anchor_repair",
  instructions: `Some edits to the written skill of an AI agent name a target that occurs more than once in it, so nobody can tell which place is meant. For each edit, choose the place that fits its purpose and give a longer target, copied character by character from the skill, that occurs exactly once.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "targets": [string] }
targets holds one text per edit, in the order shown.`,
  schema: z.object({ targets: z.array(z.string()) }),
  sample: ({ user }) => ({ targets: shownEdits(user).map(({ target = "" }) => target) }),
});
