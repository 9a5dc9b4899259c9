/**
 * Neutral ways to put the same task: none adds an instruction, and the first is the task as it is. A claim about a handful
 * of tasks varies them from trial to trial, alike in all arms, so that its noise contains how much mere wording moves.
 */
export const wordings: readonly ((input: string) => string)[] = [
  (input) => input,
  (input) => `Task:\n\n${input}`,
  (input) => `${input}\n\n(End of the task.)`,
  (input) => `Here is the task.\n\n${input}`,
  (input) => `---\n\n${input}\n\n---`,
  (input) => `The task follows.\n\n${input}`,
  (input) => `[Task]\n${input}\n[/Task]`,
  (input) => `Next task:\n\n${input}`,
  (input) => `\n\n${input}`,
  (input) => `This is the task:\n\n${input}`,
];

/** Tasks begin at different wordings, so that a wording is not confused with the time at which it is tried. */
export function wordingOf(taskHash: string, trial: number): number {
  return (Number.parseInt(taskHash.slice(0, 6), 16) + trial) % wordings.length;
}

/** The task's input in this wording. */
export const reword = (input: string, wording: number): string => (wordings[wording] ?? String)(input);
