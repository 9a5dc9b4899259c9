import type { Task } from "../tasks/task.ts";

const control = (id: string, input: string, rubric: string, reference: string): Task => ({
  id: `control-${id}`,
  input,
  checks: [{ kind: "rubric", value: rubric }],
  reference,
});

/** Our own answers that plainly meet their rubrics: a judge that fails all of them would pass nothing. */
export const controlTasks: readonly Task[] = [
  control(
    "fact",
    "Which number is larger, 17 or 71? Reply with the number alone.",
    "Says that 71 is the larger number.",
    "71",
  ),
  control(
    "tone",
    "Write one friendly sentence that asks Mara for the report by Friday.",
    "Asks Mara for the report by Friday, in a friendly tone.",
    "Hi Mara, could you please send me the report by Friday? Thank you!",
  ),
  control(
    "without",
    "Tell a customer in one sentence that order 4411 was shipped today.",
    "Says that order 4411 was shipped today, without an apology.",
    "Good news: your order 4411 was shipped today.",
  ),
];

/** How many of them a judge must pass. */
export const leastControls = 2;

export const controlAnswers: readonly string[] = controlTasks.map(({ reference = "" }) => reference);
