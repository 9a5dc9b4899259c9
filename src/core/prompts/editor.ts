import { z } from "zod";
import { type Prompt, shownRules, shownSkill } from "./prompt.ts";

export interface EditedSkill {
  readonly new_skill: string;
  readonly sentences: readonly { readonly sentence: string; readonly rules: readonly string[] }[];
}

export const editor: Prompt<EditedSkill> = {
  name: "editor",
  instructions: `You are the editor of an AI agent's written skill. You are shown its main file and the rules in it that were added one by one and found to help. Write the whole file anew as its author would have written it had they known these rules: each rule where its reader looks for it, in the file's own structure and voice, said once.

- Keep the substance of every rule: its names, numbers, limits, conditions and exact wordings.
- Keep what else the file says. Merge what overlaps and cut words that carry nothing: the file must not get longer.
- Copy the frontmatter and everything between whetstone markers exactly as they are.
- Add no rule that the file does not hold.`,
  replyFormat: `Reply with one JSON object and nothing else:
{ "new_skill": string, "sentences": [{ "sentence": string, "rules": [string] }] }
new_skill is the whole text of the file. sentences says which sentence of it, word for word, carries which rules, by their ids; every rule is carried by one at least.`,
  schema: z.object({
    new_skill: z.string().min(1),
    sentences: z.array(z.object({ sentence: z.string().min(1), rules: z.array(z.string()) })),
  }),
  sample: ({ user }) => {
    const edited = (text: string) => text.replaceAll(", and go over the whole once more", "");
    return {
      new_skill: edited(shownSkill(user)) || "It",
      sentences: shownRules(user).map(({ id, text }) => ({ sentence: edited(text), rules: [id] })),
    };
  },
};
