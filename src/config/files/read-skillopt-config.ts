import { dirname, join, relative, resolve, sep } from "node:path";
import { parseYamlText } from "../../adapters/importers/parse-source.ts";
import { readProjectText } from "../../adapters/project-file.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { own } from "../../core/own.ts";
import type { Config } from "../schema.ts";

/** A SkillOpt config translated into ours. */
export interface TakenOver {
  readonly config: Config;
  /** `train.num_epochs → epochs`. */
  readonly taken: readonly string[];
  /** Settings with no counterpart, each with the rule that applies instead. */
  readonly left: readonly string[];
}

/** Reads a SkillOpt YAML config with its bases, and reports what happened to every setting. */
export async function readSkillOptConfig(path: string, folder: string): Promise<TakenOver> {
  const flat = flatten(await readWithBase(path, 0));
  if (!isSkillOptConfig(flat))
    throw new WhetstoneError("config-invalid", `${path} isn't a SkillOpt config.`, {
      hint: "It has sections such as train, optimizer and env; name another file.",
    });
  const all = new Map(flat);
  const taken: string[] = [];
  const left: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, value] of flat) {
    // an empty value means the default
    if (value === "" || value === null) continue;
    const rule = own(rules, name);
    const found = typeof value === "object" ? undefined : rule?.take?.(value, all, folder);
    if (found === undefined) left.push(`${name}: ${rule?.instead ?? "no counterpart"}`);
    else {
      Object.assign(config, found);
      taken.push(`${name} → ${Object.keys(found).join(", ")}`);
    }
  }
  return { config, taken, left };
}

const isSkillOptConfig = (flat: Flat): boolean =>
  flat.some(([name]) => name.startsWith("optimizer.") || name.startsWith("gradient.")) &&
  flat.some(([name]) => name.startsWith("env."));

type Flat = readonly (readonly [string, Json])[];

const flatten = (data: JsonObject, before = ""): Flat =>
  Object.entries(data).flatMap(([name, value]) =>
    isJsonObject(value)
      ? flatten(value, `${before}${name}.`)
      : [[`${before}${name}`, value ?? null] as const],
  );

/** `_base_` names a file this one builds on; sections are merged. */
async function readWithBase(path: string, depth: number): Promise<JsonObject> {
  const data = parseYamlText(readProjectText(path), path);
  if (!isJsonObject(data) || depth > 8)
    throw new WhetstoneError("config-invalid", `${path} contains no settings.`, {
      hint: "Name another file.",
    });
  const { _base_: base, ...above } = data;
  const below = typeof base === "string" ? await readWithBase(join(dirname(path), base), depth + 1) : {};
  const sections = Object.entries(above).map(([name, value]): [string, Json] => {
    const under = below[name];
    return [name, isJsonObject(value) && isJsonObject(under) ? { ...under, ...value } : (value ?? null)];
  });
  return { ...below, ...Object.fromEntries(sections) };
}

interface Rule {
  /** Our settings for this value; undefined if it has no counterpart. */
  readonly take?: (
    value: string | number | boolean,
    all: ReadonlyMap<string, Json>,
    folder: string,
  ) => Record<string, unknown> | undefined;
  /** The rule that applies here instead. */
  readonly instead?: string;
}

const as = (key: keyof Config): Rule => ({ take: (value) => ({ [key]: value }) });

const asWord = (key: keyof Config, words: Readonly<Record<string, unknown>>): Rule => ({
  take: (value) => {
    const word = own(words, String(value));
    return word === undefined ? undefined : { [key]: word };
  },
});

const asPath = (key: "skill" | "tasks"): Rule => ({
  take: (value, _, folder) => ({
    [key]: `./${relative(folder, resolve(folder, String(value)))
      .split(sep)
      .join("/")}`,
  }),
});

/** Backends by the names we use for providers and agents. */
const providers: Readonly<Record<string, string>> = {
  openai_chat: "openai",
  azure_openai: "openai",
  claude_chat: "anthropic",
  anthropic_chat: "anthropic",
  codex_exec: "codex",
  claude_code_exec: "claude-code",
};

const asModel = (role: "target" | "optimizer"): Rule => ({
  take: (value, all) => {
    const backend = all.get(`model.${role}_backend`) ?? all.get("model.backend");
    const provider = typeof backend === "string" ? own(providers, backend) : undefined;
    return provider === undefined ? undefined : { [role]: `${provider}/${String(value)}` };
  },
  instead: "name the model as provider/model",
});

const said: Rule = { instead: "part of provider/model" };
const byItself: Rule = { instead: "the number of parallel calls adapts automatically (concurrency)" };

const rules: Readonly<Record<string, Rule>> = {
  "model.target": asModel("target"),
  "model.optimizer": asModel("optimizer"),
  "model.backend": said,
  "model.target_backend": said,
  "model.optimizer_backend": said,
  "model.reasoning_effort": { instead: "extraBody, if the provider supports it" },
  "train.num_epochs": as("epochs"),
  "train.batch_size": as("batchSize"),
  "train.accumulation": as("accumulation"),
  "train.seed": as("seed"),
  "train.train_size": { instead: "all tasks of the train split are used" },
  "gradient.minibatch_size": as("minibatchSize"),
  "gradient.merge_batch_size": as("mergeBatchSize"),
  "gradient.failure_only": { take: (value) => ({ successes: value === false }) },
  "gradient.analyst_workers": byItself,
  "optimizer.learning_rate": as("editBudget"),
  "optimizer.min_learning_rate": as("minEditBudget"),
  "optimizer.lr_scheduler": asWord("schedule", {
    cosine: "cosine",
    linear: "linear",
    constant: "constant",
  }),
  "optimizer.lr_control_mode": { instead: "set by the schedule" },
  "optimizer.skill_update_mode": { instead: "edits are applied one by one (patch)" },
  "optimizer.use_slow_update": as("slowUpdate"),
  "optimizer.slow_update_samples": as("slowUpdateSamples"),
  "optimizer.slow_update_gate_with_selection": { instead: "guidance is measured like a rule" },
  "optimizer.longitudinal_pair_policy": { instead: "a mix of changed and unchanged tasks" },
  "optimizer.use_meta_skill": as("metaSkill"),
  "optimizer.use_skill_aware_reflection": {
    instead: "an existing rule that isn't followed is reworded",
  },
  "evaluation.use_gate": asWord("gate", { true: "strict", false: "off" }),
  "evaluation.eval_test": as("evalTest"),
  "evaluation.sel_env_num": { instead: "all tasks of the val split are used" },
  "evaluation.test_env_num": { instead: "all tasks of the test split are used" },
  "env.skill_init": asPath("skill"),
  "env.split_dir": asPath("tasks"),
  "env.data_path": asPath("tasks"),
  "env.max_completion_tokens": as("targetMaxTokens"),
  "env.split_mode": { instead: "a folder with train, val and test keeps its splits" },
  "env.split_seed": { instead: "a task's split depends on its question" },
  "env.workers": byItself,
  "env.name": {
    instead: "one question and one answer; games and spreadsheets are environments (examples/benchmarks)",
  },
  "env.max_turns": {
    take: (value) => (typeof value === "number" && value > 1 ? { agentLimits: { turns: value } } : undefined),
    instead: "one question, one answer",
  },
  "env.exec_timeout": {
    instead: "call timeouts follow the provider's usual answer times; agentLimits.seconds for agents",
  },
};
