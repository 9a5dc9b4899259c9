import { type Ending, endTraining } from "./end-training.ts";
import type { Journey } from "./journey.ts";

const base = `
model: { backend: azure_openai, target: gpt-5.5, optimizer: gpt-5.5, target_backend: openai_chat, optimizer_backend: openai_chat }
train: { num_epochs: 4, batch_size: 40, accumulation: 1, seed: 42, train_size: 0 }
gradient: { minibatch_size: 8, merge_batch_size: 8, analyst_workers: 16, failure_only: true }
optimizer: { learning_rate: 4, min_learning_rate: 2, lr_scheduler: cosine, skill_update_mode: patch, use_slow_update: true, use_meta_skill: true }
evaluation: { use_gate: true, eval_test: true }
`;
const own = `
_base_: ../_base_/default.yaml
train: { batch_size: 20 }
env: { name: searchqa, skill_init: skills/initial.md, split_dir: data/split, workers: 24, max_turns: 1 }
`;

/** The experiment of SkillOpt's paper: its config, its splits, and whether what was learned helps another model. */
export const researcher: Journey = {
  name: "D: the experiment of the paper",
  files: (world) => {
    const rows = world
      .tasks(100)
      .map(({ id, input, answers }) => JSON.stringify({ id, question: input, context: "", answers }));
    return {
      "configs/_base_/default.yaml": base,
      "configs/parcels/default.yaml": own,
      "skills/initial.md": world.seedSkill(0),
      "data/split/train/items.jsonl": rows.slice(0, 20).join("\n"),
      "data/split/val/items.jsonl": rows.slice(20, 40).join("\n"),
      "data/split/test/items.jsonl": rows.slice(40).join("\n"),
    };
  },
  async live(person, { world, url }): Promise<Ending> {
    const imported = await person.type("npx whetstone import ./data/split");
    person.expect("the splits are understood", imported.code === 0 && imported.text.includes("100 tasks"));
    const models = "--target llamacpp/small-7b --optimizer llamacpp/small-7b";
    const init = await person.type(
      `npx whetstone init --from configs/parcels/default.yaml ${models} --base-url ${url}`,
    );
    person.expect("settings of SkillOpt are taken over", /1\d settings imported/.test(init.text));
    const doctor = await person.type("npx whetstone doctor");
    person.expect("`doctor` finds nothing wrong", doctor.code === 0);
    const plan = await person.type("npx whetstone plan");
    person.expect("`plan` knows its four steps", plan.text.includes("for 4 steps"));
    const shown = await person.type("npx whetstone train");
    const best = /skill +(\S+\/best_skill\.md)/.exec(shown.text)?.[1];
    person.expect("the training says where its text is", best !== undefined);
    const transfer = await person.type(
      `npx whetstone compare skills/initial.md ${best} --target llamacpp/other-7b`,
    );
    person.expect(
      "`compare` says what it is worth to another model",
      transfer.code === 0 && /^(?:better|not proven|worse)/m.test(transfer.text),
    );
    return endTraining(person, { shown, skill: "skills/initial.md", world });
  },
};
