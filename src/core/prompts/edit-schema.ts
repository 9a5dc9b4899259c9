import { z } from "zod";
import { editOps } from "../skill/edit.ts";

/** An edit as the optimizer writes it. Extra fields are dropped; a wrong one drops the edit, not the reply. */
const proposedEdit = z.object({
  op: z.enum(editOps),
  target: z.string().optional(),
  content: z.string().optional(),
  file: z.string().optional(),
  evidence: z.array(z.coerce.string()).catch([]).default([]),
});

/** An entry as it should be, for servers that hold a model to it. */
function editSchema(): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(proposedEdit, { io: "input" });
  return schema;
}

export type ProposedEdit = z.infer<typeof proposedEdit>;

/** The usable edits of a list. A list in which no entry is usable makes the reply unusable. */
export const proposedEdits = z
  .array(z.unknown().meta(editSchema()))
  .transform((entries, context): ProposedEdit[] => {
    const edits = entries.flatMap((entry) => {
      const parsed = proposedEdit.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    });
    if (entries.length > 0 && edits.length === 0) {
      context.addIssue({ code: "custom", message: "no entry of edits has a known op" });
    }
    return edits;
  });

export const reasoningFormat = `"reasoning" is kept for the person who reads the run, and merges of this step see it. Later steps don't.`;

export const editFormat = `An edit is { "op": "append" | "insert_after" | "replace" | "delete", "target"?: string, "content"?: string, "file"?: string, "evidence": string[] }.
- append adds content at the end of the file; insert_after puts it below the line that contains target.
- replace and delete act on target, which must be copied character by character from the skill and occur exactly once.
- file names a file of the skill and may be left out for the main one.
- content is the text that comes in; delete has none.
- evidence lists the ids of the tasks that call for the edit.`;
