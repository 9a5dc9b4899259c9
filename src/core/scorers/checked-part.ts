import { z } from "zod";
import { isBinary } from "../files.ts";
import type { Invalid } from "../tasks/outcome.ts";
import type { CheckedPart } from "../tasks/task.ts";
import type { Performance } from "./performance.ts";
import { readWorkspaceFile } from "./read-workspace-file.ts";
import type { Scoring } from "./scorer.ts";
import { traceText } from "./trace.ts";

export const checkedPartSchema: z.ZodType<CheckedPart> = z.union(
  [z.enum(["answer", "trace", "files"]), z.strictObject({ file: z.string().min(1) })],
  'must be "answer", "trace", "files" or { "file": "path" }',
);

/** The performance reduced to that part, as if it were the answer; undefined if that text doesn't exist. */
export async function lookAtPart(
  part: CheckedPart,
  performance: Performance,
  scoring: Scoring,
): Promise<Performance | Invalid | undefined> {
  if (part === "answer") return performance;
  const text = await textOfPart(part, performance, scoring);
  if (typeof text === "object") return text;
  if (text === undefined || isBinary(text)) return undefined;
  return { text, toolCalls: [], files: scoring.task.files ?? {}, skillsLoaded: [] };
}

function textOfPart(
  part: Exclude<CheckedPart, "answer">,
  performance: Performance,
  scoring: Scoring,
): string | undefined | Promise<string | undefined | Invalid> {
  if (part === "trace") return traceText(performance);
  if (part === "files") return madeFiles(performance, scoring).join("\n");
  return readWorkspaceFile(part.file, performance, scoring);
}

/** With a checkout this includes changed files, because only the commit knows what was there before. */
const madeFiles = ({ files }: Performance, { task }: Scoring): readonly string[] =>
  Object.keys(files)
    .filter((path) => !Object.hasOwn(task.files ?? {}, path))
    .toSorted();

/** For the feedback: ` (in the trace)`. */
export function namePart(part: CheckedPart): string {
  if (part === "answer") return "";
  if (part === "files") return " (among the paths of the files that it made)";
  return part === "trace" ? " (in all that it said and did)" : ` (in the file ${part.file})`;
}
