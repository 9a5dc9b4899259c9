import { hashJson } from "../canonical.ts";
import { inputWords } from "./near-duplicates.ts";
import type { Task } from "./task.ts";

/**
 * What a task asks, 64 hex digits: the words of its input and its files. Another check, weight or accepted answer makes it
 * no new task for whoever has seen it.
 */
export function askedHash({ input, files, system }: Task): string {
  return hashJson({
    words: inputWords(input).join(" "),
    files,
    system,
  });
}
