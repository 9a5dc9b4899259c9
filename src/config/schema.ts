import { isObject } from "../core/json.ts";
import { z } from "zod";
import { defaultRedis } from "../adapters/fleet/open-redis.ts";
import type { LanguageModel } from "../adapters/models/ai-sdk.ts";
import { exampleModels } from "../adapters/models/example-models.ts";
import { cannotBeAllowed } from "../adapters/sandboxes/allow/shared-fields.ts";
import { gateNames } from "../core/gate/gate-names.ts";
import type { CalibrationRow } from "../core/judge/probes.ts";
import type { Gate } from "../core/loop/gate.ts";
import type { Model } from "../core/ports/model.ts";
import {
  type FilledSettings,
  amount,
  defaultOf,
  oneWordOf,
  setting,
  settingGroup,
  settingsSchema,
  someText,
  wholeFrom,
  yesOrNo,
} from "../core/setting.ts";
import {
  capSettings,
  gateSettings,
  limitSettings,
  measureSettings,
  ownSettings,
  searchSettings,
  studySettings,
} from "../core/settings.ts";
import type { CustomScorer } from "../core/scorers/performance.ts";
import type { Skill } from "../core/skill/skill.ts";
import { lookbackPattern } from "./lookback.ts";
import { sourceNames } from "../core/ports/conversation.ts";
import type { Environment } from "../core/tasks/environment.ts";
import type { Task } from "../core/tasks/task.ts";

const modelRule = `must be provider/model or agent/model, such as "${exampleModels.openai.target}" or "${exampleModels["claude-code"].target}", or a model object`;

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

/** An object with `name`, `version` and this function. */
const isPartWith = (method: string) => (value: unknown) =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  typeof value["version"] === "string" &&
  typeof value[method] === "function";

const argv = z.array(someText, "must be a list: the program and its arguments").min(1, "must name a program");

const rows = z.custom<readonly Task[]>((value) => Array.isArray(value));
const pathOrRows = z.union([someText, rows], "must be a path or a list of tasks");

const rates = {
  /** US dollars per million tokens of input. */
  input: amount,
  /** US dollars per million tokens of output. */
  output: amount,
  /** Input read from the provider's cache. Without it, `input` applies. */
  cachedInput: amount.exactOptional(),
  /** Input written to the provider's cache. Without it, `input` applies. */
  cacheWriteInput: amount.exactOptional(),
};

const allowRule =
  "must be the name of a plain field: tools, addresses, models, tiers and bounds can't be allowed";
const secondsRule = 'must be "auto" or a number of seconds, above 0';
const concurrencyRule = 'must be "auto" or a whole number, 1 or more';
const ratioRule =
  'must be three numbers for train, val and test, the first two above 0, such as "1:1:1" or [1, 1, 1]';
const webAddress = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

const workSettings = {
  /** JSON schema that an editor checks this file against. Runs ignore it. */
  $schema: setting(someText),
  /** A base config file. Settings in this file override it; cycles are errors. */
  extends: setting(someText),
  /**
   * A file, or an Agent Skill folder. A folder means its SKILL.md, the files there that it links to, and everything in
   * references, scripts and assets. In code you can also pass the text itself, as `{ main, files }`.
   */
  skill: setting(
    z.union(
      [
        someText,
        z.custom<Skill>(
          (value) => isObject(value) && typeof value["main"] === "string" && isObject(value["files"]),
        ),
      ],
      "must be the path of a file or of a folder with SKILL.md",
    ),
    { otherwise: "the SKILL.md, AGENTS.md or CLAUDE.md found here" },
  ),
  /** More files and folders of the skill, such as "notes.md" or "examples/". Paths start in the skill's folder. */
  skillFiles: setting(z.array(someText, "must be a list of files and folders"), {
    flag: "--skill-files <path>",
  }),
  /** Skill files that may contain answers of val or test tasks. Name each one, such as a lookup table. */
  mayHoldAnswers: setting(z.array(someText, "must be a list of files of the skill"), {
    flag: "--may-hold-answers <file>",
  }),
  /**
   * A task file, a folder with train, val and test, or a suite of folders. Known formats are our JSON or JSONL, evals.json,
   * suites of claude plugin eval, SkillOpt, trigger sets, promptfoo, CSV and OpenAI evals. Also rows, or `{ train, val, test }` of paths or rows.
   */
  tasks: setting(
    z.union(
      [someText, rows, z.strictObject({ train: pathOrRows, val: pathOrRows, test: pathOrRows.optional() })],
      "must be a path, a list of tasks, or { train, val, test }",
    ),
    { otherwise: "the tasks next to the skill", flag: "--tasks <path>" },
  ),
  /** Folders of other installed skills, which an agent may load instead. */
  neighbours: setting(z.array(someText, "must be a list of folders"), { flag: "--neighbours <folder>" }),
  /**
   * How to divide one list of tasks into train, val and test, such as "1:1:1" or [1, 1, 1]. Tasks that the journal has seen
   * in a split stay there. Without it, up to 18 tasks aren't divided, and the search uses all of them.
   */
  split: setting(
    z.union(
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
    {
      otherwise: "1:1:1, with at most 150 test tasks",
      flag: "--split <ratio>",
      flagHelp: "ratio train:val:test for one list of tasks, such as 1:1:1",
    },
  ),
  /** Names of the splits in a tasks folder. */
  splitNames: setting(
    z.strictObject({ train: someText.optional(), val: someText.optional(), test: someText.optional() }),
    { otherwise: "train or replay; val, holdout or valid_seen; test" },
  ),
  /** Leave out tasks that can't be scored. Without it, they are refused by name. */
  skipInvalid: setting(yesOrNo, { default: false, flag: "--skip-invalid" }),
  /** Assert types to leave out of a suite, such as similar. */
  drop: setting(z.array(someText, "must be a list of types of asserts"), { flag: "--drop <assert>" }),
  /**
   * Ids of tasks that the provider never answers, to go on without them. Their earlier answers still count, and a claim
   * counts each of these tasks as a loss. The run stays the same, and remembers them.
   */
  leaveOut: setting(z.array(someText, "must be a list of ids of tasks"), { flag: "--leave-out <ids>" }),
  /**
   * Keep these checks even though a blank answer passes at least half of their tasks. Values: `contains`, `not contains`,
   * `answers`, `tasks` (all together), or `contains:<task id>` for one task. Without it, no claim is made.
   */
  waive: setting(z.array(someText, "must be a list of names of checks"), { flag: "--waive <check>" }),
  /** How the skill is run and scored, as `./env.ts#name`. In code you can also pass the function or object itself. */
  environment: setting(
    z.union(
      [
        someText,
        z.custom<Environment["run"]>((value) => typeof value === "function"),
        z.custom<Environment>(isPartWith("run")),
      ],
      "must be ./file.ts#name, a function, or { name, version, run }",
    ),
    { otherwise: "one question, one answer", flag: "--environment <module>" },
  ),
  /** Functions for `custom` checks, as in `{ kind: "custom", value: "<name>" }`. Checks can also name a module's function: `./file.ts#name`. */
  scorers: setting(
    z.record(
      z.string().regex(/^[\w-]+$/),
      z.custom<CustomScorer>(
        (value) => typeof value === "function",
        "must be a function (task, performance)",
      ),
    ),
  ),
};

const modelSettings = {
  /** Provider/model, or agent/model such as claude-code/sonnet, that uses the skill. */
  target: setting(model, { flag: "--target <model>" }),
  /** Provider/model that studies failures and proposes edits. */
  optimizer: setting(model, { flag: "--optimizer <model>", only: "train" }),
  /** Provider/model that scores rubrics. */
  judge: setting(model, { otherwise: "the optimizer", flag: "--judge <model>" }),
  /** Provider/model that finds tasks in conversations. */
  miner: setting(model, { otherwise: "the optimizer", flag: "--miner <model>", only: "sleep" }),
  /** Answers that people have judged, as rows or a file of rows. The judge must agree with them before it may score. */
  calibration: setting(
    z.union(
      [someText, z.custom<readonly CalibrationRow[]>((value) => Array.isArray(value))],
      "must be a path or rows { task, answer, good }",
    ),
    { otherwise: "the references of the tasks" },
  ),
  /**
   * OpenAI-compatible server for models whose provider has no entry in `providers`. If one of them is a server of your own,
   * only that one uses it: `openai/…` next to `llamacpp/…` stays with OpenAI. Without it, `OPENAI_BASE_URL` and similar apply.
   */
  baseURL: setting(webAddress, { flag: "--base-url <url>" }),
  /** Addresses of providers, by name. Keys stay in environment variables. */
  providers: setting(
    z.record(
      z.string(),
      z.strictObject({
        /** The server's address, up to and including `/v1`. */
        baseURL: webAddress.exactOptional(),
        /** The environment variable that holds the key. */
        apiKeyEnv: someText.exactOptional(),
        /** Headers sent with every call. With executor "bullmq" they are stored in Redis as written here, so keep secrets out of them. */
        headers: z.record(z.string(), z.string()).exactOptional(),
      }),
    ),
  ),
  /** Prices by `provider/model`, in US dollars per million tokens. They add to the list prices or replace them. */
  prices: setting(
    z.record(
      z.string(),
      z.strictObject({
        ...rates,
        longContext: z.strictObject({ ...rates, above: wholeFrom(1) }).exactOptional(),
      }),
    ),
    { flag: "--price <model=in,out>", flagHelp: "USD per million tokens, for a model without a list price" },
  ),
};

const agentSettings = {
  /** Agents by name. Each can be the target (`claude-code/sonnet`) or, without tools, the model of any role. */
  agents: setting(
    z.record(
      z.string(),
      z.strictObject({
        /** The program of a known agent, such as claude-code. @default found on PATH */
        command: someText.exactOptional(),
        /** Program and arguments of your own agent that speaks the Agent Client Protocol. Use it as `<name>/<provider>/<model>`. */
        acp: argv.exactOptional(),
        /** Any other program, with its arguments. It reads the prompt from standard input (or `{prompt}`) and writes its answer to standard output. Use `<name>/default` if it calls no model. */
        run: argv.exactOptional(),
        /** Address that its model calls go to. @default the agent's own provider */
        baseURL: webAddress.exactOptional(),
        /** The environment variable that holds the key. @default the agent's own, otherwise its login on this machine */
        apiKeyEnv: someText.exactOptional(),
        /** Extra arguments for a known agent. */
        args: z.array(z.string()).exactOptional(),
        /** For your own agent: the folder in its home where it looks for skills. @default ".agents/skills" */
        skills: someText.exactOptional(),
        /** For your own agent: the file in its home with its standing instructions. @default they go before the prompt */
        instructions: someText.exactOptional(),
        /** For your own agent: paths that it must be able to read, in addition to its program. */
        mounts: z.array(someText).exactOptional(),
        /** For your own agent: its version. Another version counts as another agent. @default the hash of its program */
        version: someText.exactOptional(),
        /** For `run`: exit codes that mean an answer, not a failure. @default [0] */
        exitCodes: z.array(z.int()).exactOptional(),
        /** Extra variables inside the sandbox. For your own agent, `{baseUrl}`, `{key}`, `{model}`, `{home}`, `{workspace}` and `{skills}` are filled in. */
        env: z.record(z.string(), z.string()).exactOptional(),
      }),
    ),
  ),
  /** Sandbox for agents and graders. `seatbelt` and `container` are experimental; `none` runs them unprotected on this machine. */
  sandbox: setting(oneWordOf("auto", "bubblewrap", "seatbelt", "container", "none"), {
    default: "auto",
    flag: "--sandbox <kind>",
  }),
  /** The proxy between a sandbox and the model. */
  proxy: settingGroup({
    /**
     * Plain request fields (numbers, flags, short texts) that agents may send in addition to the known ones, by name. Unknown
     * fields are removed and named in the log. Tools, addresses, models, tiers and bounds can't be allowed.
     */
    allow: setting(
      z.array(z.string("must be the name of a field").refine((name) => !cannotBeAllowed(name), allowRule)),
    ),
  }),
};

export const runSettings = {
  /** Caps on what a run may use. Raise one to continue the same run. */
  spend: settingGroup(capSettings, { default: { usd: 5 }, otherwise: "{ usd: 5 }" }),
  /** Calls in flight per model. `auto` adds more as long as more calls finish per second, and starts at 2 if the server is on this machine. */
  concurrency: setting(z.union([z.literal("auto"), z.int().min(1, concurrencyRule)], concurrencyRule), {
    default: "auto",
    flag: "--concurrency <n>",
  }),
  /**
   * Most seconds for one model call. `auto`: ten times as long as the slowest of the last answers to its role, at least 300
   * and at most 3600 seconds, and 600 at the start. A retry gets twice as long.
   */
  callSeconds: setting(z.union([z.literal("auto"), z.number().positive(secondsRule)], secondsRule), {
    default: "auto",
    flag: "--call-seconds <n>",
  }),
  /** How the work is run. `bullmq`: on workers (`whetstone worker`), on any machine. */
  executor: setting(oneWordOf("local", "bullmq"), { default: "local", flag: "--executor <word>" }),
  /** Redis that workers and coordinators share. */
  redis: setting(z.url({ protocol: /^rediss?$/, error: "must be a redis or rediss address" }), {
    default: defaultRedis,
    flag: "--redis <url>",
  }),
  /** Accept a Redis on another machine without a password or TLS. */
  insecureRedis: setting(yesOrNo, { default: false, flag: "--insecure-redis" }),
  /** Place for finished work: the journal's folder, or `postgres://user@host/database`. */
  journal: setting(someText, {
    otherwise: "the project's folder in your state folder",
    flag: "--journal <folder>",
  }),
  /** Use only answers from the journal. A missing answer is an error. */
  offline: setting(yesOrNo, { default: false, flag: "--offline" }),
  /** Folder for artifacts. */
  out: setting(someText, {
    otherwise: ".whetstone/runs/<run>, or <journal>/runs/<run> if you name one",
    flag: "--out <folder>",
  }),
  /** Keep every version of the skill in `skills/`. */
  snapshots: setting(yesOrNo, {
    default: true,
    flag: "--no-snapshots",
    flagHelp: "don't keep every version of the skill",
    only: "train",
  }),
  /**
   * Send spans and metrics of runs, without any text of prompts or answers. They go to the OpenTelemetry SDK that this process
   * has registered.
   */
  telemetry: setting(yesOrNo, { default: false, flag: "--telemetry" }),
  /** Print every stage, not only every step. */
  verbose: setting(yesOrNo, { default: false, flag: "--verbose" }),
};

const nightSettings = {
  /** How far back to read unread conversations, such as `72h`, `30d`, `8w` or `all`. The units are hours, days and weeks. */
  lookback: setting(
    z.string().regex(lookbackPattern, 'must be "all" or a time such as "72h", "30d" or "8w"'),
    {
      default: "all",
      flag: "--lookback <time>",
      only: "sleep",
    },
  ),
  /** Conversations per night, newest first. The rest wait for the next night. */
  maxConversations: setting(wholeFrom(1), { default: 40, flag: "--max-conversations <n>", only: "sleep" }),
  /** Tasks per night, most recurrent first. */
  maxTasks: setting(wholeFrom(1), { default: 40, flag: "--max-tasks <n>", only: "sleep" }),
  /** Learn rules for the skills that were used. */
  evolveSkill: setting(yesOrNo, {
    default: true,
    flag: "--no-evolve-skill",
    flagHelp: "don't learn rules for skills",
    only: "sleep",
  }),
  /** Learn rules for the file of standing instructions. */
  evolveMemory: setting(yesOrNo, {
    default: true,
    flag: "--no-evolve-memory",
    flagHelp: "don't learn rules for the standing instructions",
    only: "sleep",
  }),
  /**
   * Questions of a night when a person answers (`handoff/…`). `words`: the tasks and the wordings, at most 15 questions;
   * `all`: every rollout too.
   */
  byHand: setting(oneWordOf("words", "all"), { default: "words", flag: "--by-hand <word>", only: "sleep" }),
  /** Test rules. With `off`, rules are proposed unverified and labelled that way everywhere. */
  gate: setting(oneWordOf("on", "off"), { default: "on", flag: "--gate <word>", only: "sleep" }),
  /** Rollouts per train task. The optimizer studies what separates good from bad ones. */
  attempts: setting(wholeFrom(1), { default: 3, flag: "--attempts <n>", only: "sleep" }),
  /** Pairs of rollouts for each task that rules are measured on. Each undecided rule is in one of the two. */
  trials: setting(wholeFrom(1), { default: 3, flag: "--trials <n>", only: "sleep" }),
  /** Most rules that a night may propose per document. */
  editBudget: setting(wholeFrom(1), { default: 4, flag: "--edit-budget <n>", only: "sleep" }),
  /** Undecided rules to measure in the same rollouts, per document, most promising first. */
  maxOpenRules: setting(wholeFrom(0), { default: 12 }),
  /** Similar train tasks of earlier nights to practise again. */
  recall: setting(wholeFrom(0), { default: 4 }),
  /** Other wordings of each train task to practise too. */
  paraphrases: setting(wholeFrom(0), { default: 1 }),
};

const nightPlaces = {
  /** Folders where agents keep their conversations, by agent. */
  places: setting(z.partialRecord(z.enum(sourceNames), someText), {
    default: {},
    otherwise: "the agent's usual place",
  }),
  /** The project's file of standing instructions. */
  memory: setting(someText, {
    otherwise: "the one that the agents in the conversations read",
    flag: "--memory <path>",
    only: "sleep",
  }),
  /** More folders that hold skills. */
  skillRoots: setting(z.array(someText, "must be a list of folders"), { default: [], otherwise: "none" }),
  /** House rules for writing rules, in your own words. */
  preferences: setting(z.string(), {
    default: "",
    otherwise: "none",
    flag: "--preferences <text>",
    only: "sleep",
  }),
  /** Project command that checks whether work is right, such as "npm test". It runs in a sandbox. */
  verify: setting(someText, { flag: "--verify <command>", only: "sleep" }),
  /** Folders outside git that the command needs, such as node_modules. The sandbox can read them. */
  dependencies: setting(z.array(someText, "must be a list of folders"), { default: [], otherwise: "none" }),
};

export const effortSettings = {
  /** How much to try. `quick`: 2 epochs; `thorough`: 3 attempts per train task. */
  effort: setting(oneWordOf("quick", "standard", "thorough"), {
    default: "standard",
    flag: "--effort <word>",
    only: "train",
  }),
};

const gate = z.union(
  [gateSettings.gate.schema, z.custom<Gate>(isPartWith("decide"))],
  `must be ${gateNames.map((name) => `"${name}"`).join(" or ")}, or in code an object with name, version and decide`,
);

// core can't name this type in its settings, because a gate gets a context and a context has settings
const decidingSettings = { ...gateSettings, gate: { ...gateSettings.gate, ...setting(gate) } };

export const sleepSettings = {
  /** How nights learn from conversations. `whetstone sleep init` asks what they may read; no setting here does. */
  sleep: settingGroup({ ...nightSettings, ...nightPlaces }),
};

/** Every setting, in the groups of `--help` and docs/config.md. */
export const settingGroups = {
  "Skill and tasks": workSettings,
  Models: modelSettings,
  Agents: agentSettings,
  Search: { ...effortSettings, ...searchSettings },
  "Gate and claims": decidingSettings,
  Study: studySettings,
  Measuring: measureSettings,
  Limits: limitSettings,
  "Prompts and extras": ownSettings,
  "Runs and storage": runSettings,
  Nights: sleepSettings,
};

// the type is written out because the type of a spread has no doc comments, and editors show those
const settings: typeof workSettings &
  typeof modelSettings &
  typeof agentSettings &
  typeof effortSettings &
  typeof searchSettings &
  Omit<typeof gateSettings, "gate"> &
  Pick<typeof decidingSettings, "gate"> &
  typeof studySettings &
  typeof measureSettings &
  typeof limitSettings &
  typeof ownSettings &
  typeof runSettings &
  typeof sleepSettings = {
  ...workSettings,
  ...modelSettings,
  ...agentSettings,
  ...effortSettings,
  ...searchSettings,
  ...decidingSettings,
  ...studySettings,
  ...measureSettings,
  ...limitSettings,
  ...ownSettings,
  ...runSettings,
  ...sleepSettings,
};

export const configSchema = settingsSchema(settings);

/** A config as people write it: a file, flags, or the argument of `train`. */
export type Config = { [Key in keyof typeof settings]?: (typeof settings)[Key]["given"] };

/** The `sleep` part of a config, with its defaults. */
export type SleepSettings = FilledSettings<typeof nightSettings> & FilledSettings<typeof nightPlaces>;

/**
 * Gives a config file its types.
 *
 * @example
 * export default defineConfig({ skill: "./SKILL.md", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 */
export const defineConfig = (config: Config): Config => config;

export const defaultSpend = defaultOf(runSettings.spend);
