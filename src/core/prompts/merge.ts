import { z } from "zod";
import { editFormat, proposedEdits, reasoningFormat } from "./edit-schema.ts";
import { type Prompt, sampleWords, shownEdits } from "./prompt.ts";

const schema = z.object({
  reasoning: z.string().default(""),
  edits: proposedEdits,
  /** The edits stand best first, so no ranking call is needed. */
  ranked: z.boolean().catch(false).default(false),
});

export type Merge = z.infer<typeof schema>;

const contract: Omit<Prompt<Merge>, "name" | "instructions"> = {
  replyFormat: `Reply with one JSON object and nothing else:
{ "reasoning": string, "edits": [edit], "ranked": boolean }
Order the edits by how much good you expect of them, best first, and set ranked to true if you did.
${reasoningFormat}
${editFormat}`,
  schema,
  /** Of those that say the same one is left. */
  sample: ({ user, random }) => ({
    reasoning: sampleWords(random, 25),
    edits: shownEdits(user).filter((_, at) => at === 0 || random() < 0.7),
    ranked: random() < 0.8,
  }),
};

const common = `- Edits that say the same become one, with the evidence of all of them.
- Edits that contradict one another: keep the better supported one.
- Keep targets exactly as they are: they are matched character by character.
- Add no idea of your own.
- A fact that only a patch's reasoning names may go into an edit.
- You may reply with more edits than the edit budget. They are tried in your order, as far as there is room.`;

export const mergeFailure = {
  ...contract,
  name: "merge_failure",
  instructions: `Several analysts read different failures of an AI agent and proposed edits to its written skill. Make one coherent set of edits out of theirs.

${common}`,
};

export const mergeSuccess = {
  ...contract,
  name: "merge_success",
  instructions: `Several analysts read different successes of an AI agent and proposed edits to its written skill that keep what worked. Make one coherent, short set of edits out of theirs.

${common}`,
};

export const mergeFinal = {
  ...contract,
  name: "merge_final",
  instructions: `Two sets of edits to the written skill of an AI agent are ready: the first comes from its failures, the second from its successes. Make one set of edits out of both.

- Where the two disagree, the edits from failures win.
${common}`,
};
