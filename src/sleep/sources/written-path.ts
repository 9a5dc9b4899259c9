import { textAt } from "../../adapters/agents/event-fields.ts";

/** The file that a tool call wrote or deleted; empty when it wrote none, or when nobody can tell. */
export function writtenPath(tool: string, input: unknown): string {
  if (!writers.has(tool.toLowerCase().replaceAll("_", ""))) return "";
  return pathKeys.map((key) => textAt(input, key)).find((path) => path !== "") ?? "";
}

/** Names of tools that write one file, over all agents, without case and underscores. */
const writers = new Set([
  "write",
  "writefile",
  "edit",
  "editfile",
  "multiedit",
  "replace",
  "strreplace",
  "searchreplace",
  "strreplaceeditor",
  "create",
  "createfile",
  "delete",
  "deletefile",
  "editnotebook",
  "notebookedit",
]);

const pathKeys = ["path", "file_path", "filePath", "target_file", "target_notebook", "notebook_path"];
