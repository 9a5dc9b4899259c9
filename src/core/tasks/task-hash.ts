import { hashJson } from "../canonical.ts";
import { oncePerTask } from "./once-per-task.ts";

/** A task's identity: the hash of its content without its `id`, 64 hex digits. */
export const taskHash = oncePerTask((task) => {
  const { id: _, checks, ...content } = task;
  return hashJson({ ...content, ...(checks && { checks: checks.map((check) => ({ ...check })) }) });
});
