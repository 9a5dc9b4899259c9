import { expect, test } from "vitest";
import { mine } from "../../core/prompts/mine.ts";
import { guessedFinds } from "../../core/prompts/prompt.ts";
import { seededRandom } from "../../core/random.ts";
import { type SleepState, noNights } from "../state.ts";
import { usualFinds } from "./night-message.ts";

const rubric = "The answer ends with the name of the test file.";

/** After a night of so many tasks, of which the last are no corrections. */
function after({ tasks, plain }: { readonly tasks: number; readonly plain: number }) {
  const archive = Array.from({ length: tasks }, (_, at) => ({
    kind: at < tasks - plain ? "correction" : "task",
    task: { id: `m-${at}`, input: "Explain it.", checks: [{ kind: "rubric", value: rubric }] },
  }));
  const nights = [{ tasks, conversations: tasks }];
  return usualFinds({ ...noNights, nights, archive } as unknown as SleepState);
}

const corrected = `[turn 1, the person]
Explain what it is for.

[turn 2, the person]
no, name the test file

turn 2: "no, name the test file"`;
const content = `[turn 1, the person]
Thanks, that is all for today.`;

/** Of 200 drawn conversations like this one. */
function drawn(user: string, finds = guessedFinds) {
  const tasks = Array.from({ length: 200 }, (_, seed) => {
    const sample = mine.sample({ random: seededRandom("usual", seed), user, finds, good: [] });
    return mine.schema.parse(sample).tasks;
  }).flat();
  return {
    tasks: tasks.length,
    plain: tasks.filter(({ kind }) => kind === "task").length,
    rubrics: new Set(tasks.map((task) => task.rubric)).size,
  };
}

test("a night is rehearsed with what earlier nights found: whoever was always corrected is not imagined to be content", () => {
  const finds = after({ tasks: 40, plain: 0 });
  const [first, later] = [drawn(content), drawn(content, finds)];
  expect(first.tasks).toBeGreaterThan(140);
  expect(later.tasks).toBeLessThan(first.tasks / 4);
  expect(drawn(corrected).plain).toBeGreaterThan(10);
  expect(drawn(corrected, finds).plain).toBeLessThan(10);
  expect(drawn(corrected, finds).tasks).toBeGreaterThan(140);
});

test("a person whose requests are mostly no corrections is imagined so", () => {
  const finds = after({ tasks: 40, plain: 30 });
  expect(drawn(content, finds).tasks).toBeGreaterThan(140);
  expect(drawn(corrected, finds).plain).toBe(
    drawn(corrected, { ...guessedFinds, ...finds, plain: 0.15 }).plain,
  );
});

test("a rubric that came up again and again is drawn again, and each is tried once", () => {
  const { tasks, rubrics } = drawn(corrected, after({ tasks: 40, plain: 0 }));
  expect(rubrics).toBeLessThan(tasks / 10);
  const own = drawn(corrected, { ...guessedFinds, rubrics: ["One.", "Two.", "Three."] });
  expect(own.rubrics).toBe(own.tasks);
});
