import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import { partLines } from "./misses.ts";

const maxTrajectoryLength = 8_000;

/** One attempt, as an analyst reads it. */
export function trajectoryText(task: Task, outcome: Scored, reference?: string): string {
  const conversation = outcome.conversation
    .map(({ role, content }) => `[${role === "user" ? "task" : "agent"}]\n${content}`)
    .join("\n\n");
  return [
    `Task id: ${task.id}`,
    `Score: ${outcome.hard.toFixed(2)} (partial credit ${outcome.soft.toFixed(2)})`,
    `Judgement: ${outcome.feedback}`,
    ...partLines({ task, outcome }),
    ...(reference === undefined ? [] : [`Reference: ${reference}`]),
    trimMiddle(conversation, maxTrajectoryLength),
  ].join("\n");
}

/** Keeps the beginning and the end: the question and the answer stand there. */
export function trimMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}
