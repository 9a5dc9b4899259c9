import { type Ending, endTraining } from "./end-training.ts";
import type { Journey } from "./journey.ts";

const mostQuestions = 2;

/** Somebody who types the bare command, answers what it asks and presses Enter. */
export const newcomer: Journey = {
  name: "E: a newcomer who types npx whetstone",
  files: (world) => ({
    "SKILL.md": world.seedSkill(0),
    "tasks.jsonl": world
      .tasks(40)
      .map((task) => JSON.stringify(task))
      .join("\n"),
  }),
  async live(person, { world, url }): Promise<Ending> {
    const asked: string[] = [];
    const shown = await person.type("npx whetstone", (question) => {
      if (/\bEnter\b/.test(question)) return "";
      if (!/[?:]\s*$/.test(question)) return undefined;
      asked.push(question);
      return `house/small-7b ${url}`;
    });
    person.expect(
      `it asks ${mostQuestions} questions at most (${asked.join(" | ")})`,
      asked.length <= mostQuestions,
    );
    person.expect("it says a price before it waits for Enter", /\$\d|no cost/.test(shown.text));
    person.expect("it ends with something to read", shown.code === 0 && /rule|task/.test(shown.text));
    return endTraining(person, { shown, skill: "SKILL.md", world });
  },
};
