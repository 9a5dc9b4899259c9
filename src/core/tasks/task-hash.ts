import { hashJson } from "../canonical.ts";
import type { Task } from "./task.ts";

/** A task's identity: its content without its `id`, 64 hex digits. */
export function taskHash(task: Task): string {
  const { id: _, checks, ...content } = task;
  return hashJson({ ...content, ...(checks && { checks: checks.map((check) => ({ ...check })) }) });
}
