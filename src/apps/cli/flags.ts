import { type CommandKind, type ConfigFlag, asIs, toNumber } from "./flag-values.ts";
import { type Command, Option } from "commander";
import { WhetstoneError } from "../../core/errors.ts";
import type { Config } from "../../config/schema.ts";
import { refuseReader } from "./command-kinds.ts";
import type { RunFlags } from "./read-config.ts";
import { ofNights, sleepFlags } from "./sleep-flags.ts";

/** Adds the flags of a config. What has no flag is set in the config file. */
export function addConfigFlags(command: Command, kind: CommandKind): Command {
  for (const { flags, about, group, repeats } of flagsFor(kind)) {
    const option = new Option(flags, about).helpGroup(group);
    command.addOption(repeats === true ? option.argParser(collect) : option);
  }
  return command;
}

/** The flags that were really given, as a config. Values that are no numbers are kept, so that the config's own words refuse them. */
export function readConfigFlags(command: Command, kind: CommandKind = "train"): Config {
  const config: Record<string, unknown> = {};
  for (const { flags, path, read } of flagsFor(kind)) {
    const name = new Option(flags).attributeName();
    if (command.getOptionValueSource(name) !== "cli") continue;
    const value: unknown = read(command.getOptionValue(name));
    const [key = "", inner] = path.split(".");
    config[key] = inner === undefined ? value : { ...(config[key] as object | undefined), [inner]: value };
  }
  return config;
}

/** What every command that works has, beside the flags of a config. */
export function readCommonFlags(command: Command): Omit<RunFlags, "given"> {
  refuseReader(command);
  const { config, json, unattended } = command.opts<{
    config?: string;
    json: boolean;
    unattended: boolean;
  }>();
  const taken = flagsFor("trust").map(({ flags }) => new Option(flags).attributeName());
  return {
    config,
    json,
    unattended,
    typed: typedFlags(command, (name) => ["config", "keys", ...taken].includes(name)),
  };
}

/** Some of the flags that were typed for a command, to be typed again. */
export function typedFlags(command: Command, isWanted: (name: string) => boolean): readonly string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (!isWanted(name) || command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? option.flags;
    if (typeof value === "boolean") return [flag];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => [flag, String(one)]);
  });
}

function flagsFor(kind: CommandKind): readonly ConfigFlag[] {
  if (kind === "trust") return [...configFlags, ...sleepFlags].filter(({ path }) => ofTrust.has(path));
  if (kind === "sleep") return [...configFlags.filter(({ path }) => ofNights.has(path)), ...sleepFlags];
  return kind === "train" ? configFlags : configFlags.filter(({ trainOnly }) => trainOnly !== true);
}

/** Config keys that decide what runs and where things go. */
const ofTrust: ReadonlySet<string> = new Set([
  "tasks",
  "environment",
  "target",
  "optimizer",
  "judge",
  "miner",
  "baseURL",
  "executor",
  "redis",
  "journal",
  "telemetry",
]);

/** For a flag that may be given several times. */
export const collect = (value: string, before: unknown): unknown => [
  ...(Array.isArray(before) ? before : []),
  value,
];

const numberOrAuto = (value: unknown): unknown => (value === "auto" ? value : toNumber(value));

const work = "What is trained:";
const models = "Models:";
const search = "Search:";
const limits = "Limits and places:";

const configFlags: readonly ConfigFlag[] = [
  {
    flags: "--tasks <path>",
    path: "tasks",
    about: "a file of any known format, or a folder with train, val and test",
    group: work,
    read: asIs,
  },
  {
    flags: "--split <ratio>",
    path: "split.ratio",
    about: "train:val:test for one list of tasks, such as 1:1:1",
    group: work,
    read: asIs,
  },
  {
    flags: "--skip-invalid",
    path: "skipInvalid",
    about: "leave out tasks that cannot be scored",
    group: work,
    read: asIs,
  },
  {
    flags: "--skill-files <path>",
    path: "skillFiles",
    about: "what else of the skill's folder is the skill, such as examples/; may be repeated",
    group: work,
    read: asIs,
    repeats: true,
  },
  {
    flags: "--may-hold-answers <file>",
    path: "mayHoldAnswers",
    about: "a file of the skill that is meant to hold answers of val or test; may be repeated",
    group: work,
    read: asIs,
    repeats: true,
  },
  {
    flags: "--waive <check>",
    path: "waive",
    about: "a check that counts although a degenerate answer passes it; may be repeated",
    group: work,
    read: asIs,
    repeats: true,
  },
  {
    flags: "--track <word>",
    path: "track",
    about: "body (what the skill says) or description (when it is loaded)",
    group: work,
    read: asIs,
  },
  {
    flags: "--neighbours <folder>",
    path: "neighbours",
    about: "a skill that is installed beside it; may be repeated",
    group: work,
    read: asIs,
    repeats: true,
  },
  {
    flags: "--environment <module>",
    path: "environment",
    about: "./env.ts#name: how the skill is run and scored",
    group: work,
    read: asIs,
  },

  {
    flags: "--target <model>",
    path: "target",
    about: "provider/model or agent/model, such as claude-code/sonnet, that uses the skill",
    group: models,
    read: asIs,
  },
  {
    flags: "--optimizer <model>",
    path: "optimizer",
    about: "provider/model that proposes edits",
    group: models,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--judge <model>",
    path: "judge",
    about: "provider/model that scores rubrics (the optimizer)",
    group: models,
    read: asIs,
  },
  {
    flags: "--base-url <url>",
    path: "baseURL",
    about: "an OpenAI-compatible server for these models",
    group: models,
    read: asIs,
  },
  {
    flags: "--price <model=in,out>",
    path: "prices",
    about: "USD per million tokens of a model without a list price",
    group: models,
    read: readPrices,
    repeats: true,
  },
  {
    flags: "--target-max-tokens <n>",
    path: "targetMaxTokens",
    about: "longest answer of the target (4096)",
    group: models,
    read: toNumber,
  },
  {
    flags: "--optimizer-max-tokens <n>",
    path: "optimizerMaxTokens",
    about: "longest answer of the optimizer (16384)",
    group: models,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--temperature <t>",
    path: "temperature",
    about: "the target's; sent only when given",
    group: models,
    read: toNumber,
  },

  {
    flags: "--effort <word>",
    path: "effort",
    about: "quick, standard or thorough",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--epochs <n>",
    path: "epochs",
    about: "passes over the train split (4, quick 2)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--batch-size <n>",
    path: "batchSize",
    about: "train tasks per step (a fifth of them, 8 to 40)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--minibatch-size <n>",
    path: "minibatchSize",
    about: "trajectories per analyst call (8)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--merge-batch-size <n>",
    path: "mergeBatchSize",
    about: "patches per merge call (8)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--edit-budget <n>",
    path: "editBudget",
    about: "edits per step at the start (4)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--min-edit-budget <n>",
    path: "minEditBudget",
    about: "edits per step at the end (2)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--schedule <word>",
    path: "schedule",
    about: "cosine, linear, constant or autonomous",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--update-mode <word>",
    path: "updateMode",
    about: "patch, rewrite or full-rewrite",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--accumulation <n>",
    path: "accumulation",
    about: "batches per step (1)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--attempts <n>",
    path: "attempts",
    about: "rollouts per train task; above 1 contrastive (1)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--gate <word>",
    path: "gate",
    about: "filter, strict, paired or off",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--alpha <share>",
    path: "alpha",
    about: "of the paired gate (0.1)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--regressions <word>",
    path: "regressions",
    about: "block or report, in the paired gate",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--no-stop-early",
    path: "stopEarly",
    about: "judge every candidate on all of val",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--no-slow-update",
    path: "slowUpdate",
    about: "no guidance at the end of epochs",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--no-meta-skill",
    path: "metaSkill",
    about: "no notes of the optimizer over epochs",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--skill-aware",
    path: "skillAware",
    about: "reminders of rules that were not followed",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--no-baselines",
    path: "baselines",
    about: "do not measure no skill and one-shot rewrite",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--trials <n>",
    path: "trials",
    about: "trials per task where something is claimed (as many as it takes, at most 10)",
    group: search,
    read: toNumber,
  },
  {
    flags: "--sealed-alpha <share>",
    path: "sealedAlpha",
    about: "chance of a false claim (0.05)",
    group: search,
    read: toNumber,
  },
  {
    flags: "--metric <word>",
    path: "metric",
    about: "hard, soft or mixed",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--mixed-weight <share>",
    path: "mixedWeight",
    about: "part of partial credit in mixed (0.5)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--failure-only",
    path: "failureOnly",
    about: "study failures only",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--no-eval-test",
    path: "evalTest",
    about: "do not measure on the test split",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--allow-scripts",
    path: "allowScripts",
    about: "scripts of the skill may be edited",
    group: search,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--max-skill-length <n>",
    path: "maxSkillLength",
    about: "largest skill in characters (60000)",
    group: search,
    read: toNumber,
    trainOnly: true,
  },
  {
    flags: "--seed <n>",
    path: "seed",
    about: "order of tasks and batches (42)",
    group: search,
    read: toNumber,
  },
  { flags: "--fresh <word>", path: "fresh", about: "an independent repetition", group: search, read: asIs },

  {
    flags: "--spend-usd <n>",
    path: "spend.usd",
    about: "cap in US dollars (5)",
    group: limits,
    read: toNumber,
  },
  {
    flags: "--spend-tokens <n>",
    path: "spend.tokens",
    about: "cap in tokens",
    group: limits,
    read: toNumber,
  },
  { flags: "--spend-calls <n>", path: "spend.calls", about: "cap in calls", group: limits, read: toNumber },
  {
    flags: "--spend-minutes <n>",
    path: "spend.minutes",
    about: "cap in minutes",
    group: limits,
    read: toNumber,
  },
  {
    flags: "--sandbox <kind>",
    path: "sandbox",
    about: "what holds agents and graders: auto, bubblewrap, seatbelt, container, none",
    group: limits,
    read: asIs,
  },
  {
    flags: "--max-pending-share <share>",
    path: "maxPendingShare",
    about: "missing results that stop the run (0.1)",
    group: limits,
    read: toNumber,
  },
  {
    flags: "--concurrency <n>",
    path: "concurrency",
    about: "calls in flight per model (auto)",
    group: limits,
    read: numberOrAuto,
  },
  {
    flags: "--speculate <share>",
    path: "speculate",
    about: "begin the next step ahead; waste at most this share of the spend (0)",
    group: limits,
    read: toNumber,
  },
  {
    flags: "--executor <word>",
    path: "executor",
    about: "where units run: local, or bullmq on workers (local)",
    group: limits,
    read: asIs,
  },
  {
    flags: "--redis <url>",
    path: "redis",
    about: "where workers and coordinators meet (redis://127.0.0.1:6379)",
    group: limits,
    read: asIs,
  },
  {
    flags: "--insecure-redis",
    path: "insecureRedis",
    about: "accept a Redis on another machine without password or TLS",
    group: limits,
    read: asIs,
  },
  {
    flags: "--journal <folder>",
    path: "journal",
    about: "where finished work is kept (.whetstone)",
    group: limits,
    read: asIs,
  },
  { flags: "--offline", path: "offline", about: "answers from the journal alone", group: limits, read: asIs },
  { flags: "--out <folder>", path: "out", about: "where artifacts go", group: limits, read: asIs },
  {
    flags: "--no-snapshots",
    path: "snapshots",
    about: "do not keep every version of the skill",
    group: limits,
    read: asIs,
    trainOnly: true,
  },
  {
    flags: "--telemetry",
    path: "telemetry",
    about: "spans and metrics to OTEL_EXPORTER_OTLP_ENDPOINT",
    group: limits,
    read: asIs,
  },
  { flags: "--verbose", path: "verbose", about: "print every stage", group: limits, read: asIs },
];

function readPrices(values: unknown): Config["prices"] {
  const prices = (Array.isArray(values) ? values : [values]).map((value) => {
    const [, model, input, output] = /^([^=]+)=([\d.]+),([\d.]+)$/.exec(String(value)) ?? [];
    if (model !== undefined) return [model, { input: Number(input), output: Number(output) }] as const;
    throw new WhetstoneError("usage", `--price is "${String(value)}", which is not model=input,output.`, {
      hint: "Write USD per million tokens, such as --price openai/my-model=0.25,2",
    });
  });
  return Object.fromEntries(prices);
}
