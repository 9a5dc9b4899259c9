import { hashJson } from "../canonical.ts";
import { askedText } from "./near-duplicates.ts";
import { oncePerTask } from "./once-per-task.ts";

/**
 * Hashes the question of a task, the words of its input and its files, as 64 hex digits. A change in checks, weight or
 * accepted answers doesn't make it a new task.
 */
export const askedHash = oncePerTask((task) =>
  hashJson({ words: askedText(task), files: task.files, system: task.system }),
);
