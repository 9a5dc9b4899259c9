import { hashJson } from "../canonical.ts";
import { askedText } from "./near-duplicates.ts";
import { oncePerTask } from "./once-per-task.ts";

/**
 * What a task asks, 64 hex digits: the words of its input and its files. Another check, weight or accepted answer makes it
 * no new task for whoever has seen it.
 */
export const askedHash = oncePerTask((task) =>
  hashJson({ words: askedText(task), files: task.files, system: task.system }),
);
