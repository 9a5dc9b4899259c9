/**
 * Neutral ways to word the same task. None adds an instruction, and the first is the task as it is. A claim about a few
 * tasks varies them from trial to trial, equally in all arms, so that its noise includes the effect of mere wording.
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

/** Tasks start at different wordings, so that the effect of a wording isn't confused with its time. */
export function wordingOf(taskHash: string, trial: number): number {
  return (Number.parseInt(taskHash.slice(0, 6), 16) + trial) % wordings.length;
}

/** The task's input in this wording. */
export const reword = (input: string, wording: number): string => (wordings[wording] ?? String)(input);
