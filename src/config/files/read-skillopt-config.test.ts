import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { parseConfig } from "../parse-config.ts";
import { readSkillOptConfig } from "./read-skillopt-config.ts";

const base = `
model: { backend: azure_openai, target: gpt-5.5, optimizer: gpt-5.5, target_backend: openai_chat, optimizer_backend: codex_exec, azure_openai_endpoint: "" }
train: { num_epochs: 4, batch_size: 40, accumulation: 1, seed: 42, train_size: 0 }
gradient: { minibatch_size: 8, merge_batch_size: 8, analyst_workers: 16, failure_only: false }
optimizer: { learning_rate: 4, min_learning_rate: 2, lr_scheduler: cosine, skill_update_mode: rewrite_from_suggestions, use_slow_update: true, use_meta_skill: true, made_up: 1 }
evaluation: { use_gate: true, eval_test: true }
`;

test("a config of SkillOpt with its base: what has a counterpart is taken over, the rest is named", async () => {
  const folder = await tempDir({
    "configs/_base_/default.yaml": base,
    "configs/searchqa/default.yaml": `
_base_: ../_base_/default.yaml
train: { batch_size: 20 }
env: { name: searchqa, skill_init: skills/initial.md, split_dir: data/searchqa_split, workers: 24, max_turns: 1 }
`,
  });
  const { config, left } = await readSkillOptConfig(join(folder, "configs/searchqa/default.yaml"), folder);
  expect(parseConfig(config, "It")).toEqual(config);
  expect(config).toEqual({
    target: "openai/gpt-5.5",
    optimizer: "codex/gpt-5.5",
    epochs: 4,
    batchSize: 20,
    accumulation: 1,
    seed: 42,
    minibatchSize: 8,
    mergeBatchSize: 8,
    successes: true,
    editBudget: 4,
    minEditBudget: 2,
    schedule: "cosine",
    slowUpdate: true,
    metaSkill: true,
    gate: "strict",
    evalTest: true,
    skill: "./skills/initial.md",
    tasks: "./data/searchqa_split",
  });
  expect(left).toContain("optimizer.made_up: no counterpart");
  expect(left).toContain(
    "gradient.analyst_workers: the number of parallel calls adapts automatically (concurrency)",
  );
  expect(left.join()).not.toContain("azure_openai_endpoint");
});

test("another YAML file is no config of SkillOpt", async () => {
  const folder = await tempDir({ "a.yaml": "tests: []\n" });
  await expect(readSkillOptConfig(join(folder, "a.yaml"), folder)).rejects.toThrow("isn't a SkillOpt config");
});
