import type { Decision, Rule, RuleEdit } from "./rule.ts";

/** Whether the rule goes into the file. */
export const isTaken = ({ deed }: Decision): boolean => deed === "accept" || deed === "edit";

/** The part of an id that people see. */
export const shortId = ({ id }: Pick<Rule, "id">): string =>
  /^[0-9a-f]{9,}$/.test(id) ? id.slice(0, 8) : id;

/** The words that an edit adds; undefined if it only removes something. */
export function writtenWords(edit: RuleEdit): string | undefined {
  switch (edit.kind) {
    case "learned":
      return edit.op === "delete" ? undefined : edit.text;
    case "edit":
      return edit.edit.op === "delete" ? undefined : (edit.edit.content ?? "");
    case "text":
      return edit.text;
    case "found":
      return undefined;
  }
}

/** The same edit with other words; one that only removes something stays as it is. */
export function withWords(edit: RuleEdit, text: string): RuleEdit {
  if (edit.kind === "found" || writtenWords(edit) === undefined) return edit;
  if (edit.kind === "edit") return { ...edit, edit: { ...edit.edit, content: text } };
  return "text" in edit ? { ...edit, text } : edit;
}

/** The words that an edit removes; undefined if it only adds something. */
export function replacedWords(edit: RuleEdit): string | undefined {
  const { op, target } = edit.kind === "edit" ? edit.edit : { op: "", target: undefined, ...edit };
  return op === "replace" || op === "delete" ? target : undefined;
}
