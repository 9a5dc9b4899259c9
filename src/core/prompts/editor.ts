import { z } from "zod";
import { type Prompt, definePrompt, shownRules } from "./prompt.ts";

const passage = z.object({
  rules: z.array(z.coerce.string()).min(1),
  op: z.enum(["append", "insert_after", "replace"]),
  target: z.string().optional(),
  content: z.string().min(1),
});

/** Words that carry one rule or several, and their place in the skill. */
export type RulePassage = Readonly<z.infer<typeof passage>>;

export const editor: Prompt<{ readonly passages: readonly RulePassage[] }> = {
  name: "editor",
  instructions: `You are the editor of an AI agent's written skill. You are shown its main file, and rules that were found to help and are to go into it. They were found one by one, so some say the same, and none has its place yet. Write the passages that carry them as the file's author would have written them.

- Rules that say the same, or parts of the same, become one passage. All others stay apart.
- Put each passage where its reader looks for it: below the line it belongs to, or at the end. Use the file's own structure and voice. In a list, a passage is a list item.
- Keep the substance of every rule: its names, numbers, limits, conditions and exact wordings. Add no duty of your own.
- The file's own lines stay as they are. Only a line that says the same as a rule may be replaced, by a passage that carries both.
- All passages together must not be longer than the rules. If a rule is fine as it is, its words are its passage.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "passages": [{ "rules": [string], "op": "append" | "insert_after" | "replace", "target"?: string, "content": string }] }
- rules lists the ids of the rules that a passage carries; every rule belongs to exactly one passage.
- append puts content at the end of the file; insert_after puts it below the line that contains target; replace puts it in place of target.
- target must be copied character by character from the file and occur exactly once.`,
  schema: z.object({ passages: z.array(passage) }),
  sample: ({ user }) => ({
    passages: shownRules(user).map(({ id, text }) => ({
      rules: [id],
      op: "append",
      content: text.replaceAll(", and go over the whole once more", ""),
    })),
  }),
};

/** Whether new words carry what old ones ask for: each rule has a question and a closed answer. */
export const carries = definePrompt({
  name: "carries",
  instructions: `An editor has written rules of an AI agent's skill in new words. For each pair compare the old words with the new ones. They are carried if an agent that follows the new words does all that the old words ask for, in the same cases, with the same names, numbers, limits and formats. The new words may say more, unless that contradicts the old ones. In doubt, they aren't carried.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "answers": [{ "id": string, "carried": boolean, "missing": string }] }
missing names what the new words lose, and is "" if they are carried. Every pair gets one answer.`,
  schema: z.object({
    answers: z.array(
      z.object({ id: z.coerce.string(), carried: z.boolean(), missing: z.string().default("") }),
    ),
  }),
  sample: ({ user }) => ({
    answers: [...user.matchAll(/^ {3}"id": "(.+)",$/gm)].map(([, id]) => ({
      id,
      carried: true,
      missing: "",
    })),
  }),
});
