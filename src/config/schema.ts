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

/** `{ name, version }` with this function. */
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
  /** Input read from the provider's cache. Without it as `input`. */
  cachedInput: amount.exactOptional(),
  /** Input written to the provider's cache. Without it as `input`. */
  cacheWriteInput: amount.exactOptional(),
};

const allowRule =
  "must be the name of a plain field: tools, addresses, models, tiers and bounds cannot be allowed";
const secondsRule = 'must be "auto" or a number of seconds, above 0';
const concurrencyRule = 'must be "auto" or a whole number, 1 or more';
const ratioRule =
  'must be three numbers for train, val and test, the first two above 0, such as "1:1:1" or [1, 1, 1]';
const webAddress = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

const workSettings = {
  /** Where an editor finds the rules of a JSON file. Without effect on runs. */
  $schema: setting(someText),
  /** A base config file. What stands here wins; cycles are errors. */
  extends: setting(someText),
  /**
   * A file, or an Agent Skill folder. Of a folder its SKILL.md, the files there that it links to, and all of references,
   * scripts and assets. From code also the text itself, as `{ main, files }`.
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
    { otherwise: "the SKILL.md, AGENTS.md or CLAUDE.md that is here" },
  ),
  /** What else of the skill's folder is the skill: files and folders from there, such as "notes.md" or "examples/". */
  skillFiles: setting(z.array(someText, "must be a list of files and folders"), {
    flag: "--skill-files <path>",
  }),
  /** Files of the skill that are meant to hold answers of val or test tasks. By name, such as a table to look them up in. */
  mayHoldAnswers: setting(z.array(someText, "must be a list of files of the skill"), {
    flag: "--may-hold-answers <file>",
  }),
  /**
   * A file of tasks of any known format, a folder with train, val and test, or a suite of folders. Known are our JSON or
   * JSONL, evals.json, suites of claude plugin eval, SkillOpt, a trigger set, promptfoo, CSV and OpenAI evals. Also rows, or `{ train, val, test }` of paths or rows.
   */
  tasks: setting(
    z.union(
      [someText, rows, z.strictObject({ train: pathOrRows, val: pathOrRows, test: pathOrRows.optional() })],
      "must be a path, a list of tasks, or { train, val, test }",
    ),
    { otherwise: "the file or folder of tasks that lies beside the skill", flag: "--tasks <path>" },
  ),
  /** Folders of skills that are installed beside it: what an agent may load instead. */
  neighbours: setting(z.array(someText, "must be a list of folders"), { flag: "--neighbours <folder>" }),
  /**
   * How one list of tasks is divided: the parts of train, val and test, such as "1:1:1" or [1, 1, 1]. What the journal has
   * seen on a side stays there. Up to 18 tasks aren't divided without it: all of them serve the search.
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
      flagHelp: "train:val:test for one list of tasks, such as 1:1:1",
    },
  ),
  /** What the splits are called in a tasks folder. */
  splitNames: setting(
    z.strictObject({ train: someText.optional(), val: someText.optional(), test: someText.optional() }),
    { otherwise: "train or replay; val, holdout or valid_seen; test" },
  ),
  /** Leave out tasks that cannot be scored. Without it they are refused by name. */
  skipInvalid: setting(yesOrNo, { default: false, flag: "--skip-invalid" }),
  /** Types of asserts to leave out of a suite, such as similar. */
  drop: setting(z.array(someText, "must be a list of types of asserts"), { flag: "--drop <assert>" }),
  /**
   * Tasks to go on without, by id, when the provider never answers them. What they answered before still counts, and a claim
   * counts each as a loss. The run stays the same, and remembers them.
   */
  leaveOut: setting(z.array(someText, "must be a list of ids of tasks"), { flag: "--leave-out <ids>" }),
  /**
   * Checks that count although an answer that knows nothing of them passes half of their tasks or more. `contains`,
   * `not contains`, `answers`, `tasks` (all together), or of one task `contains:<task id>`. Without it no claim is made.
   */
  waive: setting(z.array(someText, "must be a list of names of checks"), { flag: "--waive <check>" }),
  /** How the skill is run and scored: `./env.ts#name`, or from code the function or object itself. */
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
  /** Functions that `custom` checks name, `{ kind: "custom", value: "<name>" }`, beside those of modules, `./file.ts#name`. */
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
  /** The provider/model, or agent/model such as claude-code/sonnet, that uses the skill. */
  target: setting(model, { flag: "--target <model>" }),
  /** The provider/model that studies failures and proposes edits. */
  optimizer: setting(model, { flag: "--optimizer <model>", only: "train" }),
  /** The provider/model that scores rubrics. */
  judge: setting(model, { otherwise: "the optimizer", flag: "--judge <model>" }),
  /** The provider/model that finds tasks in conversations. */
  miner: setting(model, { otherwise: "the optimizer", flag: "--miner <model>", only: "sleep" }),
  /** Answers that people have judged, as rows or a file of rows. The judge must agree before it may score. */
  calibration: setting(
    z.union(
      [someText, z.custom<readonly CalibrationRow[]>((value) => Array.isArray(value))],
      "must be a path or rows { task, answer, good }",
    ),
    { otherwise: "what tasks give as reference" },
  ),
  /**
   * An OpenAI-compatible server for the models whose provider has no entry in `providers`. Where one of them is a server of
   * your own, for that one alone: `openai/…` beside `llamacpp/…` stays with OpenAI. Without it `OPENAI_BASE_URL` and the like.
   */
  baseURL: setting(webAddress, { flag: "--base-url <url>" }),
  /** Where providers are reached, by name. Keys stay in environment variables. */
  providers: setting(
    z.record(
      z.string(),
      z.strictObject({
        /** The server's address, up to and with `/v1`. */
        baseURL: webAddress.exactOptional(),
        /** The environment variable that holds the key. */
        apiKeyEnv: someText.exactOptional(),
        /** Sent with every call. With executor "bullmq" they stand in Redis as they are written here: no place for secrets. */
        headers: z.record(z.string(), z.string()).exactOptional(),
      }),
    ),
  ),
  /** By `provider/model`, in US dollars per million tokens. Beside or instead of the list prices. */
  prices: setting(
    z.record(
      z.string(),
      z.strictObject({
        ...rates,
        longContext: z.strictObject({ ...rates, above: wholeFrom(1) }).exactOptional(),
      }),
    ),
    { flag: "--price <model=in,out>", flagHelp: "USD per million tokens of a model without a list price" },
  ),
};

const agentSettings = {
  /** Agents as target (`claude-code/sonnet`) or, tool-less, as a model of any role. By name. */
  agents: setting(
    z.record(
      z.string(),
      z.strictObject({
        /** The program of a known agent, such as claude-code. @default found on PATH */
        command: someText.exactOptional(),
        /** An agent of your own that speaks the Agent Client Protocol: its program and arguments. Used as `<name>/<provider>/<model>`. */
        acp: argv.exactOptional(),
        /** Any other program: the prompt comes on its standard input (or as `{prompt}`), its answer goes to standard output. `<name>/default` where it calls no model. */
        run: argv.exactOptional(),
        /** Where its model calls go. @default the agent's own provider */
        baseURL: webAddress.exactOptional(),
        /** The environment variable that holds the key. @default the agent's own, else its login on this machine */
        apiKeyEnv: someText.exactOptional(),
        /** More arguments for a known agent. */
        args: z.array(z.string()).exactOptional(),
        /** Of an agent of your own: the folder of its home in which it looks for skills. @default ".agents/skills" */
        skills: someText.exactOptional(),
        /** Of an agent of your own: the file of its home with its standing instructions. @default they stand before the prompt */
        instructions: someText.exactOptional(),
        /** Of an agent of your own: what it must be able to read beside its program. */
        mounts: z.array(someText).exactOptional(),
        /** Of an agent of your own; another one is another agent. @default the hash of its program */
        version: someText.exactOptional(),
        /** Of `run`: exit codes that are an answer, not a failure. @default [0] */
        exitCodes: z.array(z.int()).exactOptional(),
        /** Further variables inside the sandbox; of an agent of your own `{baseUrl}`, `{key}`, `{model}`, `{home}`, `{workspace}` and `{skills}` are filled in. */
        env: z.record(z.string(), z.string()).exactOptional(),
      }),
    ),
  ),
  /** What holds agents and graders. `seatbelt` and `container` are experimental; `none` runs them on this machine as they are. */
  sandbox: setting(oneWordOf("auto", "bubblewrap", "seatbelt", "container", "none"), {
    default: "auto",
    flag: "--sandbox <kind>",
  }),
  /** The way from a sandbox to the model. */
  proxy: settingGroup({
    /**
     * Plain fields of a request (figures, flags, short texts) that agents may send beside those that are known, by name. What
     * is not known is taken out and named in the log. Tools, addresses, models, tiers and bounds cannot be allowed.
     */
    allow: setting(
      z.array(z.string("must be the name of a field").refine((name) => !cannotBeAllowed(name), allowRule)),
    ),
  }),
};

export const runSettings = {
  /** Caps on what a run may use. Raising one continues the same run. */
  spend: settingGroup(capSettings, { default: { usd: 5 }, otherwise: "{ usd: 5 }" }),
  /** Calls in flight per model. `auto`: as many more as make more calls end per second, from 2 on where the server is on this machine. */
  concurrency: setting(z.union([z.literal("auto"), z.int().min(1, concurrencyRule)], concurrencyRule), {
    default: "auto",
    flag: "--concurrency <n>",
  }),
  /**
   * Seconds that one call of a model may take. `auto`: ten times as long as the slowest of the last answers to its role took,
   * at least 300 and at most 3600 seconds, and 600 to begin with. A further try gets twice as long.
   */
  callSeconds: setting(z.union([z.literal("auto"), z.number().positive(secondsRule)], secondsRule), {
    default: "auto",
    flag: "--call-seconds <n>",
  }),
  /** Where units run. `bullmq`: on workers (`whetstone worker`), on any machine. */
  executor: setting(oneWordOf("local", "bullmq"), { default: "local", flag: "--executor <word>" }),
  /** Where workers and coordinators meet. */
  redis: setting(z.url({ protocol: /^rediss?$/, error: "must be a redis or rediss address" }), {
    default: defaultRedis,
    flag: "--redis <url>",
  }),
  /** Accept a Redis on another machine without password or TLS. */
  insecureRedis: setting(yesOrNo, { default: false, flag: "--insecure-redis" }),
  /** Where finished work is kept: the folder of the journal, or `postgres://user@host/database`. */
  journal: setting(someText, {
    otherwise: "the project's folder in your state folder",
    flag: "--journal <folder>",
  }),
  /** Answers come from the journal alone. A miss is an error. */
  offline: setting(yesOrNo, { default: false, flag: "--offline" }),
  /** Where artifacts go. */
  out: setting(someText, {
    otherwise: ".whetstone/runs/<run>, or <journal>/runs/<run> where you name one",
    flag: "--out <folder>",
  }),
  /** Whether `skills/` keeps every version. */
  snapshots: setting(yesOrNo, {
    default: true,
    flag: "--no-snapshots",
    flagHelp: "do not keep every version of the skill",
    only: "train",
  }),
  /**
   * Spans and metrics of runs, without any text of prompts or answers. They go to the OpenTelemetry SDK that this process has
   * registered.
   */
  telemetry: setting(yesOrNo, { default: false, flag: "--telemetry" }),
  /** Print every stage, not only every step. */
  verbose: setting(yesOrNo, { default: false, flag: "--verbose" }),
};

const nightSettings = {
  /** How far back unread conversations are taken: `all`, or hours, days or weeks such as `72h`, `30d`, `8w`. */
  lookback: setting(
    z.string().regex(lookbackPattern, 'must be "all" or a time such as "72h", "30d" or "8w"'),
    {
      default: "all",
      flag: "--lookback <time>",
      only: "sleep",
    },
  ),
  /** Conversations per night, the newest first. The rest waits for the next. */
  maxConversations: setting(wholeFrom(1), { default: 40, flag: "--max-conversations <n>", only: "sleep" }),
  /** Tasks per night, the most recurrent first. */
  maxTasks: setting(wholeFrom(1), { default: 40, flag: "--max-tasks <n>", only: "sleep" }),
  /** Whether skills that were used are learned for. */
  evolveSkill: setting(yesOrNo, {
    default: true,
    flag: "--no-evolve-skill",
    flagHelp: "learn nothing for skills",
    only: "sleep",
  }),
  /** Whether the file of standing instructions is learned for. */
  evolveMemory: setting(yesOrNo, {
    default: true,
    flag: "--no-evolve-memory",
    flagHelp: "learn nothing for the standing instructions",
    only: "sleep",
  }),
  /**
   * What a night asks where a person answers (`handoff/…`): `words`, the tasks and the wordings, at most 15 questions; or
   * `all`, every rollout too.
   */
  byHand: setting(oneWordOf("words", "all"), { default: "words", flag: "--by-hand <word>", only: "sleep" }),
  /** Whether rules are tested. `off`: rules are proposed unverified, and labelled so everywhere. */
  gate: setting(oneWordOf("on", "off"), { default: "on", flag: "--gate <word>", only: "sleep" }),
  /** Rollouts per train task. What separates good from bad ones is studied. */
  attempts: setting(wholeFrom(1), { default: 3, flag: "--attempts <n>", only: "sleep" }),
  /** Pairs of rollouts of each task that rules are measured on: each undecided rule is in one of the two. */
  trials: setting(wholeFrom(1), { default: 3, flag: "--trials <n>", only: "sleep" }),
  /** Rules that a night may propose per document. */
  editBudget: setting(wholeFrom(1), { default: 4, flag: "--edit-budget <n>", only: "sleep" }),
  /** Undecided rules that are measured in the same rollouts, per document, the most promising first. */
  maxOpenRules: setting(wholeFrom(0), { default: 12 }),
  /** Similar train tasks of earlier nights that are practised again. */
  recall: setting(wholeFrom(0), { default: 4 }),
  /** Other wordings of each train task that are practised too. */
  paraphrases: setting(wholeFrom(0), { default: 1 }),
};

const nightPlaces = {
  /** Where an agent keeps its conversations, by its name. */
  places: setting(z.partialRecord(z.enum(sourceNames), someText), {
    default: {},
    otherwise: "where it usually does",
  }),
  /** The project's file of standing instructions. */
  memory: setting(someText, {
    otherwise: "the one that the agents of the conversations read",
    flag: "--memory <path>",
    only: "sleep",
  }),
  /** More folders that hold skills. */
  skillRoots: setting(z.array(someText, "must be a list of folders"), { default: [], otherwise: "none" }),
  /** House rules for whoever writes the rules, in your words. */
  preferences: setting(z.string(), {
    default: "",
    otherwise: "none",
    flag: "--preferences <text>",
    only: "sleep",
  }),
  /** A command of the project that says whether work is right, such as "npm test". It runs in a sandbox. */
  verify: setting(someText, { flag: "--verify <command>", only: "sleep" }),
  /** Folders outside git that the command needs, such as node_modules. They are readable in the sandbox. */
  dependencies: setting(z.array(someText, "must be a list of folders"), { default: [], otherwise: "none" }),
};

export const effortSettings = {
  /** How much is tried. `quick`: 2 epochs; `thorough`: 3 attempts per train task. */
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

// core can't name the type in its settings: a gate gets a context, which has settings
const decidingSettings = { ...gateSettings, gate: { ...gateSettings.gate, ...setting(gate) } };

export const sleepSettings = {
  /** How nights learn from conversations. What may be read is asked for by `whetstone sleep init`, not here. */
  sleep: settingGroup({ ...nightSettings, ...nightPlaces }),
};

/** Every setting, in the groups of `--help` and docs/config.md. */
export const settingGroups = {
  "What is trained": workSettings,
  Models: modelSettings,
  Agents: agentSettings,
  Search: { ...effortSettings, ...searchSettings },
  "Gate and claims": decidingSettings,
  Study: studySettings,
  Measuring: measureSettings,
  Limits: limitSettings,
  "Your own words": ownSettings,
  "Runs and places": runSettings,
  Nights: sleepSettings,
};

// the type is written out because the declaration of a spread has no doc comments, and editors show those
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

/** What a person writes: a config file, flags, or the argument of `train`. */
export type Config = { [Key in keyof typeof settings]?: (typeof settings)[Key]["given"] };

/** The `sleep` part of a config with its defaults in. */
export type SleepSettings = FilledSettings<typeof nightSettings> & FilledSettings<typeof nightPlaces>;

/**
 * Gives a config file its types.
 *
 * @example
 * export default defineConfig({ skill: "./SKILL.md", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 */
export const defineConfig = (config: Config): Config => config;

export const defaultSpend = defaultOf(runSettings.spend);
