import { type Ending, endTraining } from "./end-training.ts";
import { expectationOf } from "./parcel-world.ts";
import type { Journey } from "./journey.ts";

/** A skill with fourteen evals in the format of skill-creator, and a local server with one slot that also judges. */
export const author: Journey = {
  name: "A: the author of a skill with 14 evals",
  files: (world) => ({
    "SKILL.md": world.seedSkill(0),
    "evals.json": JSON.stringify({
      skill_name: "parcel-desk",
      evals: world.tasks(14).map(({ input, answers: [code = ""] = [] }, at) => ({
        id: at + 1,
        prompt: input,
        expected_output: code,
        expectations: [expectationOf(code)],
      })),
    }),
  }),
  // one reply in thirty is empty or cut off, as small models do
  odd: 0.03,
  async live(person, { world, url }): Promise<Ending> {
    const init = await person.type(`npx whetstone init --target llamacpp/small-7b --base-url ${url}`);
    person.expect(
      "`init` finds skill and evals",
      /SKILL\.md/.test(init.text) && /evals\.json/.test(init.text),
    );
    const doctor = await person.type("npx whetstone doctor");
    person.expect("`doctor` finds nothing wrong", doctor.code === 0);
    const plan = await person.type("npx whetstone plan");
    person.expect("`plan` says minutes and calls", /(?:minutes|seconds), \S+ calls/.test(plan.text));
    let shown = await person.type("npx whetstone train");
    // the same command goes on where it stopped
    for (let again = 0; shown.code === 5 && again < 3; again += 1)
      shown = await person.type("npx whetstone train");
    return endTraining(person, { shown, skill: "SKILL.md", world });
  },
};
