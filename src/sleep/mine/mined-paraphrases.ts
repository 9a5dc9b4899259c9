import { said, scoreTask } from "../../core/scorers/score-task.ts";
import { inputWords } from "../../core/tasks/near-duplicates.ts";
import type { Task } from "../../core/tasks/task.ts";

/** The wordings of a task that ask the same: other words, the same numbers, and no answer in them. At most two. */
export async function keepParaphrases(wordings: readonly string[], task: Task): Promise<readonly string[]> {
  const kept: string[] = [];
  const known = new Set([inputWords(task.input).join(" ")]);
  for (const wording of wordings) {
    const words = inputWords(wording).join(" ");
    if (kept.length === maxParaphrases || known.has(words)) continue;
    if (values(wording) !== values(task.input) || (await passesItself(wording, task))) continue;
    known.add(words);
    kept.push(wording);
  }
  return kept;
}

const maxParaphrases = 2;

const values = (text: string): string =>
  inputWords(text)
    .filter((word) => /\p{N}/u.test(word))
    .map((word) => word.replace(/[.,;:!?]+$/, ""))
    .toSorted()
    .join(" ");

async function passesItself(wording: string, task: Task): Promise<boolean> {
  if (task.checks?.some(({ kind }) => kind === "rubric")) return false;
  const score = await scoreTask(task, said(wording, task), {});
  return "hard" in score && score.hard === 1;
}
