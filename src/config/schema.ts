import { isObject } from "../core/json.ts";
import { z } from "zod";
import type { LanguageModel } from "../adapters/models/ai-sdk.ts";
import { cannotBeAllowed } from "../adapters/sandboxes/allow/shared-fields.ts";
import type { CalibrationRow } from "../core/judge/probes.ts";
import type { Model } from "../core/ports/model.ts";
import type { CustomScorer } from "../core/scorers/performance.ts";
import type { Skill } from "../core/skill/skill.ts";
import { sourceNames } from "../core/sleep/mine/digest.ts";
import type { Environment } from "../core/tasks/environment.ts";
import type { Task } from "../core/tasks/task.ts";

const text = z.string("must be a text").min(1, "must not be empty");
const flag = z.boolean("must be true or false");
const whole = (least: number) => z.int(wholeRule(least)).min(least, wholeRule(least));
const wholeRule = (least: number) => `must be a whole number, ${least} or more`;
const share = z
  .number("must be a number from 0 to 1")
  .min(0, "must be a number from 0 to 1")
  .max(1, "must be a number from 0 to 1");
const amount = z.number("must be a number, 0 or more").min(0, "must be a number, 0 or more");
const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, `must be ${words.map((word) => `"${word}"`).join(" or ")}`);

const modelRule =
  'must be provider/model or agent/model, such as "openai/gpt-5-nano" or "claude-code/sonnet", or a model object';

const model = z.union(
  [
    z.string().regex(/^[^/\s]+\/\S+$/, modelRule),
    z.custom<LanguageModel>(
      (value) => isObject(value) && "specificationVersion" in value && "doGenerate" in value,
    ),
    z.custom<Model>(
      (value) =>
        isObject(value) && typeof value["id"] === "string" && typeof value["generate"] === "function",
    ),
  ],
  modelRule,
);

const argv = z.array(text, "must be a list: the program and its arguments").min(1, "must name a program");

const rows = z.custom<readonly Task[]>((value) => Array.isArray(value));
const pathOrRows = z.union([text, rows], "must be a path or a list of tasks");

const rates = {
  /** US dollars per million tokens. */
  input: amount,
  output: amount,
  /** Input read from the provider's cache. @default input */
  cachedInput: amount.exactOptional(),
  /** Input written to the provider's cache. @default input */
  cacheWriteInput: amount.exactOptional(),
};

const allowRule =
  "must be the name of a plain field: tools, addresses, models, tiers and bounds cannot be allowed";
const speculateRule = "must be a number from 0 to 0.5";
const concurrencyRule = 'must be "auto" or a whole number, 1 or more';
const ratioRule =
  'must be three numbers for train, val and test, the first two above 0, such as "1:1:1" or [1, 1, 1]';

export const configSchema = z.strictObject({
  /** A base config file; what stands here wins. Cycles are errors. */
  extends: text.optional(),

  /**
   * A file, or an Agent Skill folder: its SKILL.md, the files there that it links to, and all of references, scripts and
   * assets. From code also the text itself, as `{ main, files }`.
   */
  skill: z
    .union(
      [
        text,
        z.custom<Skill>(
          (value) => isObject(value) && typeof value["main"] === "string" && isObject(value["files"]),
        ),
      ],
      "must be the path of a file or of a folder with SKILL.md",
    )
    .optional(),
  /** What else of the folder is the skill: files and folders from there, such as "notes.md" or "examples/". @default none */
  skillFiles: z.array(text, "must be a list of files and folders").optional(),
  /** Files of the skill that are meant to hold answers of val or test tasks, by name, as a table to look them up in. @default none */
  mayHoldAnswers: z.array(text, "must be a list of files of the skill").optional(),
  /**
   * A file (our JSON or JSONL, evals.json, a trigger set, promptfoo, CSV, OpenAI evals, Inspect samples), a folder
   * (with train, val and test or with one file), rows, or `{ train, val, test }`.
   */
  tasks: z
    .union(
      [text, rows, z.strictObject({ train: pathOrRows, val: pathOrRows, test: pathOrRows.optional() })],
      "must be a path, a list of tasks, or { train, val, test }",
    )
    .optional(),
  /** What is trained: what the skill says, or the description by which agents choose to load it. @default "body" */
  track: oneOf("body", "description").optional(),
  /** Folders of skills that are installed beside it: what an agent may load instead. */
  neighbours: z.array(text, "must be a list of folders").optional(),
  /** How one list of tasks is divided; what the journal has seen on a side stays there. @default 1:1:1, with at most 150 test tasks */
  split: z
    .strictObject({
      ratio: z.union(
        [
          z.string().regex(/^\d+(\.\d+)?(:\d+(\.\d+)?){2}$/, ratioRule),
          z.tuple([
            z.number().positive(ratioRule),
            z.number().positive(ratioRule),
            z.number().min(0, ratioRule),
          ]),
        ],
        ratioRule,
      ),
    })
    .optional(),
  /** What the splits are called in a tasks folder. @default train | replay, val | holdout | valid_seen, test */
  splitNames: z
    .strictObject({ train: text.optional(), val: text.optional(), test: text.optional() })
    .optional(),
  /** Leave out tasks that cannot be scored; without it they are refused by name. @default false */
  skipInvalid: flag.optional(),
  /**
   * Checks that count although an answer that knows nothing of them passes half of their tasks or more: `contains`,
   * `not contains`, `answers`, `tasks` (all together), or of one task `contains:<task id>`. Without it no claim is made.
   */
  waive: z.array(text, "must be a list of names of checks").optional(),

  /** The model that uses the skill. */
  target: model.optional(),
  /** The model that studies failures and proposes edits. */
  optimizer: model.optional(),
  /** @default optimizer */
  judge: model.optional(),
  /** Answers that people have judged, as rows or a file of rows: the judge must agree before it may score. @default what tasks give as reference */
  calibration: z
    .union(
      [text, z.custom<readonly CalibrationRow[]>((value) => Array.isArray(value))],
      "must be a path or rows { task, answer, good }",
    )
    .optional(),
  /** @default optimizer */
  miner: model.optional(),
  /** An OpenAI-compatible server for the models whose provider has no entry in `providers`. */
  baseURL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  /** Where providers are reached, by name. Keys stay in environment variables. */
  providers: z
    .record(
      z.string(),
      z.strictObject({
        /** The server's address, up to and with `/v1`. */
        baseURL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).exactOptional(),
        /** The environment variable that holds the key. */
        apiKeyEnv: text.exactOptional(),
        /** Sent with every call. With executor "bullmq" they stand in Redis as they are written here: no place for secrets. */
        headers: z.record(z.string(), z.string()).exactOptional(),
      }),
    )
    .optional(),
  /** Agents as target (`claude-code/sonnet`) or, tool-less, as a model of any role; by name. */
  agents: z
    .record(
      z.string(),
      z.strictObject({
        /** The program of a known agent (claude-code, codex, opencode, pi). @default found on PATH */
        command: text.exactOptional(),
        /** An agent of your own that speaks the Agent Client Protocol: its program and arguments. Used as `<name>/<provider>/<model>`. */
        acp: argv.exactOptional(),
        /** Any other program: the prompt comes on its standard input (or as `{prompt}`), its answer goes to standard output. `<name>/default` where it calls no model. */
        run: argv.exactOptional(),
        /** Where its model calls go. @default the agent's own provider */
        baseURL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).exactOptional(),
        /** The environment variable that holds the key. @default the agent's own, else its login on this machine */
        apiKeyEnv: text.exactOptional(),
        /** More arguments for a known agent. */
        args: z.array(z.string()).exactOptional(),
        /** Of an agent of your own: the folder of its home in which it looks for skills. @default ".agents/skills" */
        skills: text.exactOptional(),
        /** Of an agent of your own: the file of its home with its standing instructions. @default they stand before the prompt */
        instructions: text.exactOptional(),
        /** Of an agent of your own: what it must be able to read beside its program. */
        mounts: z.array(text).exactOptional(),
        /** Of an agent of your own; another one is another agent. @default the hash of its program */
        version: text.exactOptional(),
        /** Of `run`: exit codes that are an answer, not a failure. @default [0] */
        exitCodes: z.array(z.int()).exactOptional(),
        /** Further variables inside the sandbox; of an agent of your own `{baseUrl}`, `{key}`, `{model}`, `{home}`, `{workspace}` and `{skills}` are filled in. */
        env: z.record(z.string(), z.string()).exactOptional(),
      }),
    )
    .optional(),
  /** What holds agents and graders. `none` runs them on this machine as they are. @default "auto" */
  sandbox: oneOf("auto", "bubblewrap", "seatbelt", "container", "none").optional(),
  /** The way from a sandbox to the model. */
  proxy: z
    .strictObject({
      /**
       * Plain fields of a request (figures, flags, short texts) that agents may send beside those that are known, by name. What
       * is not known is taken out and named in the log. Tools, addresses, models, tiers and bounds cannot be allowed.
       */
      allow: z
        .array(z.string("must be the name of a field").refine((name) => !cannotBeAllowed(name), allowRule))
        .exactOptional(),
    })
    .optional(),
  /** What one rollout of an agent may use; reaching a limit is an outcome of the task. */
  agentLimits: z
    .strictObject({
      /** @default 30 */
      turns: whole(1).exactOptional(),
      /** Model calls. @default 60 */
      calls: whole(1).exactOptional(),
      /** What a call could use at most is set aside before it is made: about its bytes and its `max_tokens`. @default 2000000 */
      tokens: whole(1).exactOptional(),
      /** Active time: waiting for the provider does not count. @default 600 */
      seconds: whole(1).exactOptional(),
      /** @default 4096 */
      memoryMb: whole(64).exactOptional(),
      /** @default 256 */
      processes: whole(8).exactOptional(),
      /** @default 1024 */
      diskMb: whole(1).exactOptional(),
    })
    .optional(),
  /** By `provider/model`, in US dollars per million tokens; beside or instead of the list prices. */
  prices: z
    .record(
      z.string(),
      z.strictObject({
        ...rates,
        longContext: z.strictObject({ ...rates, above: whole(1) }).exactOptional(),
      }),
    )
    .optional(),

  /** `quick`: 2 epochs; `thorough`: 3 attempts per train task. @default "standard" */
  effort: oneOf("quick", "standard", "thorough").optional(),
  /** Passes over the train split. @default 4 (quick 2) */
  epochs: whole(1).optional(),
  /** Train tasks per step. @default a fifth of the train split, from 8 to 40 */
  batchSize: whole(1).optional(),
  /** Train tasks per step are `batchSize` times this. @default 1 */
  accumulation: whole(1).optional(),
  /** Trajectories per analyst call. @default 8 */
  minibatchSize: whole(1).optional(),
  /** Patches per merge call. @default 8 */
  mergeBatchSize: whole(2).optional(),
  /** Edits per step at the start. @default 4 */
  editBudget: whole(1).optional(),
  /** Edits per step at the end, at most `editBudget`. @default 2 (or editBudget when that is smaller) */
  minEditBudget: whole(1).optional(),
  /** How the budget falls; `autonomous`: the optimizer chooses. @default "cosine" */
  schedule: oneOf("cosine", "linear", "constant", "autonomous").optional(),
  /** Edits one by one, or the whole document written anew with the chosen edits, or with all of them. @default "patch" */
  updateMode: oneOf("patch", "rewrite", "full-rewrite").optional(),
  /** `filter` searches best under noise, `strict` is the paper's, `paired` accepts only what is significant, `off` accepts everything unverified. @default "filter" */
  gate: oneOf("filter", "strict", "paired", "off").optional(),
  /** Trials per task and arm where something is claimed. @default as many as find +20 points in 80 of 100 cases, at most ten; 3 in `noise`, `prune` and the `paired` gate */
  trials: whole(1).optional(),
  /** Of the `paired` gate. @default 0.1 */
  alpha: share.optional(),
  /** The share of claims that may be false, over all reads of the same test tasks. @default 0.05 */
  sealedAlpha: share.optional(),
  /** Whether a task that is now always failed blocks an accept of the `paired` gate. @default "block" */
  regressions: oneOf("block", "report").optional(),
  /** Stop a candidate's evaluation once its verdict is certain: fewer rollouts, more rounds. @default true */
  stopEarly: flag.optional(),
  /** Rollouts per train task; more than one: contrastive reflection. @default 1 (thorough 3) */
  attempts: whole(1).optional(),
  /** Long-horizon guidance at the end of epochs, in a protected block. @default true (false on the description track) */
  slowUpdate: flag.optional(),
  /** Train tasks looked at again at an epoch's end. @default 20 */
  slowUpdateSamples: whole(1).optional(),
  /** The optimizer keeps notes on what kinds of edits helped. @default true */
  metaSkill: flag.optional(),
  /** Rules that exist but were not followed become reminders in a protected appendix. @default false */
  skillAware: flag.optional(),
  /** Also measure no skill and a one-shot rewrite, for the report. @default true (false on the description track) */
  baselines: flag.optional(),
  /** What the gate compares: passes, partial credit, or both. @default "hard" */
  metric: oneOf("hard", "soft", "mixed").optional(),
  /** The part of partial credit in `mixed`. @default 0.5 */
  mixedWeight: share.optional(),
  /** More missing results than this share stop the run. @default 0.1 */
  maxPendingShare: share.optional(),
  /** Only failures are studied. @default false */
  failureOnly: flag.optional(),
  /** @default 42 */
  seed: z.int("must be a whole number").optional(),
  /** Whether original and best are measured on the test split. @default true */
  evalTest: flag.optional(),
  /** @default 4096 */
  targetMaxTokens: whole(1).optional(),
  /** @default 16384 */
  optimizerMaxTokens: whole(1).optional(),
  /** The target's; sent only when set, because many models refuse it. */
  temperature: z
    .number("must be a number from 0 to 2")
    .min(0, "must be a number from 0 to 2")
    .max(2, "must be a number from 0 to 2")
    .optional(),
  /** Whether scripts of the skill may be edited. @default false */
  allowScripts: flag.optional(),
  /** Largest size of all that may be edited, in characters. @default 60000 */
  maxSkillLength: whole(1).optional(),
  /** The most tokens of each part of the skill, estimated; an edit that grows one beyond it is refused. */
  tokenBudgets: z
    .strictObject({
      /** @default none; 1024 characters are the rule */
      description: whole(1).exactOptional(),
      /** The main file without its frontmatter. @default 5000 */
      body: whole(1).exactOptional(),
      /** Each. @default none */
      reference: whole(1).exactOptional(),
      /** Each. @default none */
      script: whole(1).exactOptional(),
    })
    .optional(),
  /** Instructions of an optimizer contract by its name: the text, or a path that begins with `./`. */
  prompts: z.record(z.string(), text).optional(),
  /** Handed to the environment and the prompts as it is. */
  extras: z.record(z.string(), z.json()).optional(),
  /** How the skill is run and scored: `./env.ts#name`, or the function or object itself. @default one question, one answer */
  environment: z
    .union(
      [
        text,
        z.custom<Environment["run"]>((value) => typeof value === "function"),
        z.custom<Environment>(
          (value) =>
            isObject(value) &&
            typeof value["name"] === "string" &&
            typeof value["version"] === "string" &&
            typeof value["run"] === "function",
        ),
      ],
      "must be ./file.ts#name, a function, or { name, version, run }",
    )
    .optional(),
  /** Functions that `custom` checks name, `{ kind: "custom", value: "<name>" }`, beside those of modules, `./file.ts#name`. */
  scorers: z
    .record(
      z.string().regex(/^[\w-]+$/),
      z.custom<CustomScorer>(
        (value) => typeof value === "function",
        "must be a function (task, performance)",
      ),
    )
    .optional(),
  /** Any word: an independent repetition of a run that is finished. */
  fresh: text.optional(),

  /** Caps; raising one continues the same run. @default { usd: 5 } */
  spend: z
    .strictObject({
      usd: amount.exactOptional(),
      tokens: amount.exactOptional(),
      calls: amount.exactOptional(),
      minutes: amount.exactOptional(),
    })
    .optional(),
  /** How nights learn from conversations. What may be read is asked for by `whetstone sleep init`, not here. */
  sleep: z
    .strictObject({
      /** Where an agent keeps its conversations, by its name. @default where it usually does */
      places: z.partialRecord(z.enum(sourceNames), text).exactOptional(),
      /** How far the first night looks back. @default 72 */
      lookbackHours: amount.exactOptional(),
      /** Conversations per night; the rest waits for the next. @default 40 */
      maxConversations: whole(1).exactOptional(),
      /** Tasks per night, the most recurrent first. @default 40 */
      maxTasks: whole(1).exactOptional(),
      /** Whether skills that were used are learned for. @default true */
      evolveSkill: flag.exactOptional(),
      /** Whether the file of standing instructions is learned for. @default true */
      evolveMemory: flag.exactOptional(),
      /** The project's file of standing instructions. @default the one that the agents of the conversations read */
      memory: text.exactOptional(),
      /** More folders that hold skills. */
      skillRoots: z.array(text, "must be a list of folders").exactOptional(),
      /** `off`: rules are proposed unverified, and labelled so everywhere. @default "on" */
      gate: oneOf("on", "off").exactOptional(),
      /** Rollouts per train task; what separates good from bad ones is studied. @default 3 */
      attempts: whole(1).exactOptional(),
      /** Rollouts per val task and arm. @default 3 */
      trials: whole(1).exactOptional(),
      /** Rules that a night may propose per document. @default 4 */
      editBudget: whole(1).exactOptional(),
      /** Rules of earlier nights that are tested again, per document. @default 6 */
      maxOpenRules: whole(0).exactOptional(),
      /** Similar train tasks of earlier nights that are practised again. @default 4 */
      recall: whole(0).exactOptional(),
      /** Other wordings of each train task that are practised too. @default 1 */
      paraphrases: whole(0).exactOptional(),
      /** House rules for whoever writes the rules, in your words. */
      preferences: z.string().exactOptional(),
      /** A command of the project that says whether work is right, such as "npm test"; it runs in a sandbox. */
      verify: text.exactOptional(),
      /** Folders outside git that the command needs, such as node_modules; readable in the sandbox. */
      dependencies: z.array(text, "must be a list of folders").exactOptional(),
    })
    .optional(),
  /** Calls in flight per model. @default "auto" */
  concurrency: z.union([z.literal("auto"), z.int().min(1, concurrencyRule)], concurrencyRule).optional(),
  /**
   * Begin what the next step will probably need while this one waits for the optimizer and the gate: shorter runs with the
   * same decisions. Results that turn out not to be needed stay below this share of the spend. @default 0
   */
  speculate: z.number(speculateRule).min(0, speculateRule).max(0.5, speculateRule).optional(),
  /** `bullmq`: units run on workers (`whetstone worker`), on any machine. @default "local" */
  executor: oneOf("local", "bullmq").optional(),
  /** Where workers and coordinators meet. @default redis://127.0.0.1:6379 */
  redis: z.url({ protocol: /^rediss?$/, error: "must be a redis or rediss address" }).optional(),
  /** Accept a `redis` on another machine without password or TLS. @default false */
  insecureRedis: flag.optional(),
  /** The folder that holds the journal, or `postgres://user@host/database`. @default .whetstone */
  journal: text.optional(),
  /** Answers come from the journal alone; a miss is an error. @default false */
  offline: flag.optional(),
  /** Where artifacts go. @default <journal>/runs/<run>, or .whetstone/runs/<run> */
  out: text.optional(),
  /** Whether `skills/` keeps every version. @default true */
  snapshots: flag.optional(),
  /**
   * Spans and metrics of runs, without any text of prompts or answers: to the OpenTelemetry SDK that this process has
   * registered, else to the receiver that OTEL_EXPORTER_OTLP_ENDPOINT names. @default false
   */
  telemetry: flag.optional(),
  /** Print every stage, not only every step. @default false */
  verbose: flag.optional(),
});

/** What a person writes: a config file, flags, or the argument of `train`. */
export type Config = z.input<typeof configSchema>;

/**
 * Gives a config file its types.
 *
 * @example
 * export default defineConfig({ skill: "./SKILL.md", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 */
export const defineConfig = (config: Config): Config => config;
