import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProviderSettings } from "../adapters/models/providers.ts";
import { WhetstoneError } from "../core/errors.ts";
import { nearestWord } from "../core/nearest-word.ts";
import type { Model, Role } from "../core/ports/model.ts";
import { analystError } from "../core/prompts/analyst-error.ts";
import { analystSuccess } from "../core/prompts/analyst-success.ts";
import { anchorRepair } from "../core/prompts/anchor-repair.ts";
import { mergeFailure, mergeFinal, mergeSuccess } from "../core/prompts/merge.ts";
import { appendixCompaction } from "../core/prompts/appendix-compaction.ts";
import { contrastive } from "../core/prompts/contrastive.ts";
import { learningRate } from "../core/prompts/learning-rate.ts";
import { metaSkill } from "../core/prompts/meta-skill.ts";
import { oneShot } from "../core/prompts/one-shot.ts";
import { ranking } from "../core/prompts/ranking.ts";
import { rewriteSkill } from "../core/prompts/rewrite-skill.ts";
import { slowUpdate } from "../core/prompts/slow-update.ts";
import { scoreAnswer } from "../core/scorers/score-answer.ts";
import type { TrainSettings } from "../core/settings.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { SplitRatio } from "../core/tasks/split.ts";
import type { Splits } from "../core/tasks/task.ts";
import { guessModels, guessSkill, guessTasks, shownPath } from "./guess.ts";
import { isPath } from "./load.ts";
import { readSkill } from "./read-skill.ts";
import { readTasks } from "./read-tasks.ts";
import { resolveEnvironment } from "./resolve-environment.ts";
import { type ModelChoice, modelId, openModel } from "./resolve-model.ts";
import type { Resolved } from "./resolved.ts";
import type { Config } from "./schema.ts";

export interface ResolveOptions {
  /** Where guesses look and where the journal goes. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The roles that will be called. @default target and optimizer */
  readonly roles?: readonly Role[];
}

/** Answers every open question of a config: files read, models found, defaults in, tasks known to be scorable. */
export async function resolveConfig(config: Config, options: ResolveOptions): Promise<Resolved> {
  const { cwd } = options;
  const guesses: string[] = [];
  const settings = await resolveSettings(config);
  const { skill, path } = await resolveSkill(config, cwd, guesses);
  const splits = await resolveTasks(config, settings.seed, path, cwd, guesses);
  const environment = await resolveEnvironment(config.environment);
  const choices = chooseModels(config, options, guesses);
  const { offline = false } = config;
  const spend = config.spend ?? { usd: 5 };
  if (config.spend === undefined && !offline) guesses.push("spend: at most 5 USD");
  return {
    settings,
    skill,
    skillPath: path ?? "",
    splits,
    environment,
    models: mapRoles(choices, modelId),
    modelObjects: offline ? new Map() : await openModels(config, choices, options),
    prices: config.prices ?? {},
    spend,
    concurrency: config.concurrency ?? "auto",
    journalDir: config.journal ?? join(cwd, ".whetstone"),
    offline,
    ...(config.out === undefined ? {} : { out: config.out }),
    snapshots: config.snapshots ?? true,
    guesses,
  };
}

/** Every setting that can change a decision, defaults in. */
export async function resolveSettings(config: Config): Promise<TrainSettings> {
  const { effort = "standard" } = config;
  const quick = effort === "quick";
  const editBudget = config.editBudget ?? 4;
  const minEditBudget = config.minEditBudget ?? Math.min(2, editBudget);
  if (minEditBudget > editBudget) {
    throw new WhetstoneError(
      "config-invalid",
      `"minEditBudget" is ${minEditBudget}; it must be at most "editBudget", ${editBudget}.`,
      { hint: "Lower the one or raise the other." },
    );
  }
  return {
    epochs: config.epochs ?? (quick ? 1 : 4),
    batchSize: config.batchSize ?? (quick ? 20 : 40),
    minibatchSize: config.minibatchSize ?? 8,
    mergeBatchSize: config.mergeBatchSize ?? 8,
    editBudget,
    minEditBudget,
    schedule: config.schedule ?? "cosine",
    accumulation: config.accumulation ?? 1,
    updateMode: config.updateMode ?? "patch",
    gate: config.gate ?? "filter",
    trials: config.trials ?? { quick: 1, standard: 3, thorough: 5 }[effort],
    alpha: config.alpha ?? 0.1,
    sealedAlpha: config.sealedAlpha ?? 0.05,
    regressions: config.regressions ?? "block",
    stopEarly: config.stopEarly ?? true,
    attempts: config.attempts ?? (effort === "thorough" ? 3 : 1),
    slowUpdate: config.slowUpdate ?? true,
    slowUpdateSamples: config.slowUpdateSamples ?? 20,
    metaSkill: config.metaSkill ?? true,
    skillAware: config.skillAware ?? false,
    baselines: config.baselines ?? true,
    metric: config.metric ?? "hard",
    mixedWeight: config.mixedWeight ?? 0.5,
    maxPendingShare: config.maxPendingShare ?? 0.1,
    failureOnly: config.failureOnly ?? false,
    seed: config.seed ?? 42,
    evalTest: config.evalTest ?? true,
    targetMaxTokens: config.targetMaxTokens ?? 4096,
    optimizerMaxTokens: config.optimizerMaxTokens ?? 16_384,
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    allowScripts: config.allowScripts ?? false,
    maxSkillLength: config.maxSkillLength ?? 60_000,
    prompts: await readPrompts(config.prompts ?? {}),
    extras: config.extras ?? {},
    ...(config.fresh === undefined ? {} : { fresh: config.fresh }),
  };
}

const promptNames = [
  analystError,
  analystSuccess,
  mergeFailure,
  mergeSuccess,
  mergeFinal,
  ranking,
  anchorRepair,
  contrastive,
  learningRate,
  rewriteSkill,
  oneShot,
  slowUpdate,
  metaSkill,
  appendixCompaction,
].map(({ name }) => name);

async function readPrompts(
  prompts: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const [name, given] of Object.entries(prompts)) {
    if (!promptNames.includes(name)) {
      const nearest = nearestWord(name, promptNames);
      throw new WhetstoneError("config-invalid", `"prompts.${name}" is not an optimizer contract.`, {
        hint: nearest === undefined ? `Known are ${promptNames.join(", ")}.` : `Did you mean "${nearest}"?`,
      });
    }
    texts[name] = isPath(given) ? await readPrompt(name, given) : given;
  }
  return texts;
}

async function readPrompt(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new WhetstoneError("not-found", `"prompts.${name}": ${path} cannot be read.`, {
      cause,
      hint: "Correct the path.",
    });
  }
}

/** The skill, read; `path` is undefined when it was given in code. */
export async function resolveSkill(
  config: Config,
  cwd: string,
  guesses: string[],
): Promise<{ readonly skill: Skill; readonly path: string | undefined }> {
  const given =
    config.skill ??
    guess(
      "skill",
      guessSkill(cwd),
      cwd,
      guesses,
      "Put a SKILL.md here, or name one: whetstone train <path>.",
    );
  const path = typeof given === "string" ? given : undefined;
  const tasks = config.tasks ?? guessTasks(cwd, path);
  const skill: Skill = typeof given === "string" ? await readSkill(given, taskPaths(tasks)) : given;
  if (!Object.hasOwn(skill.files, skill.main)) {
    throw new WhetstoneError("skill-invalid", `The skill's main file ${skill.main} is not among its files.`, {
      hint: "Give { main, files } with `main` a key of `files`.",
    });
  }
  return { skill, path };
}

/** The tasks, divided, and known to be scorable. */
export async function resolveTasks(
  config: Config,
  seed: number,
  skillPath: string | undefined,
  cwd: string,
  guesses: string[],
): Promise<Splits> {
  const way = "Put a tasks.jsonl beside the skill, or name one with --tasks <path>.";
  const tasks = config.tasks ?? guess("tasks", guessTasks(cwd, skillPath), cwd, guesses, way);
  const needsScoring = config.environment === undefined;
  const { split, splitNames } = config;
  const ratio = split === undefined ? undefined : parseRatio(split.ratio);
  const splits = await readTasks(tasks, { seed, ratio, splitNames, needsScoring });
  if (needsScoring) checkScorable(splits);
  return splits;
}

function guess(
  what: "skill" | "tasks",
  found: string | undefined,
  cwd: string,
  guesses: string[],
  way: string,
): string {
  if (found === undefined) {
    throw new WhetstoneError(
      "not-found",
      `No ${what} ${what === "skill" ? "is" : "are"} named, and none could be found in ${cwd}.`,
      {
        hint: way,
      },
    );
  }
  guesses.push(`${what}: ${shownPath(found, cwd)}`);
  return found;
}

/** The files that tasks come from, and the folder of a folder's splits. */
function taskPaths(tasks: Config["tasks"]): readonly string[] {
  if (typeof tasks === "string") return [tasks];
  if (tasks === undefined || Array.isArray(tasks)) return [];
  return Object.values(tasks).filter((part): part is string => typeof part === "string");
}

function parseRatio(ratio: NonNullable<Config["split"]>["ratio"]): SplitRatio {
  const [train = 0, val = 0, test = 0] = typeof ratio === "string" ? ratio.split(":").map(Number) : ratio;
  return [train, val, test];
}

/** A broken check must be found before the first call is paid, not after. */
function checkScorable(splits: Splits): void {
  for (const task of Object.values(splits).flat()) {
    const score = scoreAnswer(task, "");
    if (!("kind" in score)) continue;
    throw new WhetstoneError("tasks-invalid", `Task ${task.id} cannot be scored: ${score.reason}.`, {
      hint: "Mend the check and run the command again.",
    });
  }
}

export type ModelChoices = Readonly<Record<Role, ModelChoice>>;

/** The models by role; what was not named is guessed from the keys that are set. */
export function chooseModels(
  config: Config,
  { env, roles = ["target", "optimizer"] }: ResolveOptions,
  guesses: string[],
): ModelChoices {
  const needed = roles.includes("optimizer");
  const found = config.target === undefined && config.optimizer === undefined ? guessModels(env) : undefined;
  const target = config.target ?? found?.target ?? config.optimizer;
  const optimizer = config.optimizer ?? found?.optimizer ?? target;
  if (target === undefined || optimizer === undefined) {
    throw new WhetstoneError("config-invalid", "No model is named, and no key of a known provider is set.", {
      hint: "Give --target and --optimizer as provider/model, or set a variable such as OPENAI_API_KEY. `whetstone demo` needs neither.",
    });
  }
  const because = found === undefined ? "as no other model is named" : `because ${found.variable} is set`;
  if (config.target === undefined) guesses.push(`target: ${modelId(target)}, ${because}`);
  if (config.optimizer === undefined && needed) guesses.push(`optimizer: ${modelId(optimizer)}, ${because}`);
  return { target, optimizer, judge: config.judge ?? optimizer, miner: config.miner ?? optimizer };
}

function mapRoles<T>(
  { target, optimizer, judge, miner }: ModelChoices,
  map: (choice: ModelChoice) => T,
): Readonly<Record<Role, T>> {
  return { target: map(target), optimizer: map(optimizer), judge: map(judge), miner: map(miner) };
}

/** Only of the roles that will be called: nobody needs a key for a model that is not used. */
async function openModels(
  config: Config,
  choices: ModelChoices,
  { env, roles = ["target", "optimizer"] }: ResolveOptions,
): Promise<ReadonlyMap<string, Model>> {
  const models = new Map<string, Model>();
  for (const role of roles) {
    const id = modelId(choices[role]);
    if (models.has(id)) continue;
    models.set(id, await openModel(choices[role], { env, providers: providersFor(id, config) }));
  }
  return models;
}

/** `baseURL` serves every provider that has no entry of its own. */
export function providersFor(
  id: string,
  { providers = {}, baseURL }: Config,
): Readonly<Record<string, ProviderSettings>> {
  const provider = id.split("/", 1)[0] ?? "";
  if (baseURL === undefined || Object.hasOwn(providers, provider)) return providers;
  return { ...providers, [provider]: { baseURL } };
}
