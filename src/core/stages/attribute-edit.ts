import type { ProposedEdit } from "../prompts/edit-schema.ts";
import type { Edit } from "../skill/edit.ts";

/** An edit may claim only tasks that its analyst saw. */
export function attributeEdit(
  edit: ProposedEdit,
  source: "failure" | "success",
  taskIds: readonly string[],
): Edit {
  const known = new Set(taskIds);
  const evidence = [...new Set(edit.evidence)].filter((id) => known.has(id));
  return { ...withoutUndefined(edit), evidence, support: evidence.length, source, origin: "analyst" };
}

/** Drops optional fields that the parser left undefined, since they wouldn't survive JSON. */
export function withoutUndefined(edit: ProposedEdit): Edit {
  const { op, target, content, file, evidence } = edit;
  return {
    op,
    target,
    content,
    file,
    evidence,
  };
}
