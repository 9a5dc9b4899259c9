import { z } from "zod";
import { defaultGate } from "./gate/default-gate.ts";
import { type GateName, gateNames } from "./gate/gate-names.ts";
import { usualTexts } from "./rules/few-texts.ts";
import {
  type FilledSettings,
  amount,
  defaultOf,
  numberUpTo,
  oneWordOf,
  setting,
  settingGroup,
  someText,
  wholeFrom,
  yesOrNo,
} from "./setting.ts";

// what can change a decision, in the order of config.json; the other settings stand in config/schema.ts

export const searchSettings = {
  /** What is trained: what the skill says, or the description by which agents choose to load it. */
  track: setting(oneWordOf("body", "description"), { default: "body", flag: "--track <word>" }),
  /** Passes over the train split. */
  epochs: setting(wholeFrom(1), {
    default: ({ effort, shared }) => (effort === "quick" || shared ? 2 : 4),
    otherwise: "4; quick or up to 18 undivided tasks: 2",
    flag: "--epochs <n>",
    only: "train",
  }),
  /** Epochs that go on after the end of a search by the gate `rules`, from its rules and results. All before them comes from the journal, and each ends like a search of its own. */
  more: setting(wholeFrom(1), {
    otherwise: "none",
    flag: "--more <n>",
    flagHelp: "go on for so many epochs after the search's end, from its rules and results",
    only: "train",
  }),
  /** Train tasks per step. */
  batchSize: setting(wholeFrom(1), {
    // five steps an epoch, with no less than one analyst reads and no more than a step can use
    default: ({ train }) => Math.min(Math.max(Math.ceil(train / 5), 8), 40),
    otherwise: "a fifth of the train split, from 8 to 40",
    flag: "--batch-size <n>",
    only: "train",
  }),
  /** Trajectories per analyst call. */
  minibatchSize: setting(wholeFrom(1), { default: 8, flag: "--minibatch-size <n>", only: "train" }),
  /** Patches per merge call. */
  mergeBatchSize: setting(wholeFrom(2), { default: 8, flag: "--merge-batch-size <n>", only: "train" }),
  /** Edits per step at the start. With the gate `rules` and more than 15 val tasks as many again are tried, unless most tasks have several checks. */
  editBudget: setting(wholeFrom(1), { default: 4, flag: "--edit-budget <n>", only: "train" }),
  /** Edits per step at the end, at most `editBudget`. */
  minEditBudget: setting(wholeFrom(1), {
    default: ({ editBudget }) => Math.min(2, editBudget),
    otherwise: "2, or editBudget when that is smaller",
    flag: "--min-edit-budget <n>",
    only: "train",
  }),
  /** How the budget of edits falls. */
  schedule: setting(oneWordOf("cosine", "linear", "constant"), {
    default: "cosine",
    flag: "--schedule <word>",
    only: "train",
  }),
  /** Batches per step. Train tasks per step are `batchSize` times this. */
  accumulation: setting(wholeFrom(1), { default: 1, flag: "--accumulation <n>", only: "train" }),
};

export const gateSettings = {
  /** What decides about proposals. `rules` measures each rule by itself, all at once; `strict` is the paper's and decides about whole patches; `off` accepts everything unverified. From code also a gate of your own. */
  gate: setting(oneWordOf(...gateNames), {
    default: defaultGate,
    otherwise: "strict if val has fewer than 6 tasks and most tasks have one check, else rules",
    flag: "--gate <word>",
    flagHelp: "what decides about proposals: rules, strict, off (default depends on the tasks)",
    only: "train",
  }),
  /** Distinct texts in a pass over val of the gate `rules` and of `prune`; few make better use of a provider's prompt cache, 0 gives each rollout its own. */
  texts: setting(wholeFrom(0), {
    default: ({ val }) => usualTexts(val),
    otherwise: "0; 8 where val has more than 50 tasks",
    flag: "--texts <n>",
    flagHelp:
      "distinct texts in a pass over val; 0: every rollout has its own (default: 0, or 8 from 51 val tasks on)",
    only: ["train", "prune"],
  }),
  /** Steps by which proposals lag behind what the gate `rules` has measured: with 1 the next proposals are made meanwhile. Fewer than six steps never lag. */
  lag: setting(z.literal([0, 1], "must be 0 or 1"), {
    default: 1,
    flag: "--lag <n>",
    flagHelp: "steps by which proposals lag behind measurements, 0 or 1 (default: 1)",
    only: "train",
  }),
  /** Trials per task and arm where something is claimed. */
  trials: setting(wholeFrom(1), {
    default: ({ effort }) => ({ quick: 1, standard: 3, thorough: 5 })[effort],
    otherwise: "as many as find +20 points in 80 of 100 cases, at most ten",
    flag: "--trials <n>",
    only: ["train", "measure"],
  }),
  /** The share of claims that may be false, over all reads of the same test tasks. */
  sealedAlpha: setting(numberUpTo(1), { default: 0.05, flag: "--sealed-alpha <share>" }),
  /** Stop a candidate's evaluation once the verdict of the gate `strict` is certain: fewer rollouts, more rounds. */
  stopEarly: setting(yesOrNo, {
    // every block of a gate would be a round of questions to a person
    default: ({ byHand }) => !byHand,
    otherwise: "true; false where a person answers",
    flag: "--no-stop-early",
    flagHelp: "judge every candidate on all of val",
    only: "train",
  }),
};

export const studySettings = {
  /** Rollouts per train task. More than one: what separates good from bad ones is studied. */
  attempts: setting(wholeFrom(1), {
    default: ({ effort }) => (effort === "thorough" ? 3 : 1),
    flag: "--attempts <n>",
    only: "train",
  }),
  /** Long-horizon guidance at the end of epochs, in a protected block. */
  slowUpdate: setting(yesOrNo, {
    default: ({ track }) => track === "body",
    flag: "--no-slow-update",
    flagHelp: "no guidance at the end of epochs",
    only: "train",
  }),
  /** Train tasks looked at again at an epoch's end. */
  slowUpdateSamples: setting(wholeFrom(1), { default: 20 }),
  /** The optimizer keeps notes on what kinds of edits helped. */
  metaSkill: setting(yesOrNo, {
    default: true,
    flag: "--no-meta-skill",
    flagHelp: "no notes of the optimizer over epochs",
    only: "train",
  }),
  /**
   * How the optimizer replies. `plain`: analysts propose one edit at a time in plain lines, for models of 1 to 8 billion
   * parameters, and merging, ranking, notes and guidance are not asked for.
   */
  contracts: setting(oneWordOf("json", "plain"), {
    otherwise: "json",
    flag: "--contracts <word>",
    only: "train",
  }),
  /** From five kept rules on, an editor merges what says the same and puts each rule at its place. Its text stays if every rule is carried and little is lost on val. */
  editor: setting(yesOrNo, {
    default: true,
    flag: "--no-editor",
    flagHelp: "keep the rules in the words in which they were proposed",
    only: "train",
  }),
  /** Also measure no skill and a one-shot rewrite. If the rewrite does better on test, it is offered, unproven. */
  baselines: setting(yesOrNo, {
    default: ({ track }) => track === "body",
    flag: "--no-baselines",
    flagHelp: "do not measure no skill and one-shot rewrite",
    only: "train",
  }),
};

const growthRule = 'must be a change in percent, such as "+10 %"';

export const measureSettings = {
  /** What the gate compares: passes, partial credit, or both. */
  metric: setting(oneWordOf("hard", "soft", "mixed"), {
    default: "hard",
    flag: "--metric <word>",
    only: "train",
  }),
  /** The part of partial credit in `mixed`. */
  mixedWeight: setting(numberUpTo(1), { default: 0.5, flag: "--mixed-weight <share>", only: "train" }),
  /** What a change may not do beside winning points. */
  objective: settingGroup({
    /**
     * The most that a rollout's cost may grow, such as "+10 %". A test of its own must show it, or nothing is called proven.
     * Money, or tokens where nothing has a price.
     */
    maxCost: setting(z.string(growthRule).regex(/^[+−-]?\d+(?:\.\d+)?\s*%$/, growthRule), {
      otherwise: "no limit",
      flag: "--max-cost <change>",
      only: ["train", "measure", "prune"],
    }),
  }),
  /**
   * More missing results than this share stop the run: of all results so far, or of one stage of 20 or more. A single missing
   * result never stops it, unless the share is 0.
   */
  maxPendingShare: setting(numberUpTo(1), {
    default: 0.1,
    flag: "--max-pending-share <share>",
    flagHelp: "stop when more than this share of the results is missing (default: 0.1)",
  }),
  /** Study solved attempts by themselves, too. Failures are shown next to solved look-alikes anyway. */
  successes: setting(yesOrNo, { default: false, flag: "--successes", only: "train" }),
  /** Decides the order of tasks and batches. */
  seed: setting(z.int("must be a whole number"), { default: 42, flag: "--seed <n>" }),
  /** Whether original and best are measured on the test split. */
  evalTest: setting(yesOrNo, {
    default: true,
    flag: "--no-eval-test",
    flagHelp: "do not measure on the test split",
    only: "train",
  }),
};

/** What a run says itself, and what would make an answer longer or dearer than it is booked at. */
const ownFields: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "prompt",
  "stream",
  "n",
  "best_of",
  "max_tokens",
  "max_completion_tokens",
  "max_new_tokens",
  "n_predict",
  "num_predict",
  "service_tier",
  "tools",
]);

const bodyFields = z.record(
  z
    .string()
    .refine(
      (name) => !ownFields.has(name),
      "must not say what the run says itself: model, messages, length, number or tier of answers",
    ),
  z.json(),
);

export const limitSettings = {
  /** The longest answer of the target, in tokens. */
  targetMaxTokens: setting(wholeFrom(1), { default: 4096, flag: "--target-max-tokens <n>" }),
  /** The longest answer of the optimizer, in tokens. */
  optimizerMaxTokens: setting(wholeFrom(1), {
    default: 16_384,
    flag: "--optimizer-max-tokens <n>",
    only: "train",
  }),
  /** The target's temperature. Sent only when set, because many models refuse it. */
  temperature: setting(numberUpTo(2), { flag: "--temperature <t>" }),
  /**
   * Further fields of the requests of a role, for OpenAI-compatible servers. Such as `seed`, `grammar`, `num_ctx` or
   * `chat_template_kwargs`. The optimizer and the judge are asked with a `response_format`, unless it is `null` here.
   */
  extraBody: setting(
    z.strictObject({
      target: bodyFields.exactOptional(),
      optimizer: bodyFields.exactOptional(),
      judge: bodyFields.exactOptional(),
      miner: bodyFields.exactOptional(),
    }),
    { otherwise: "nothing" },
  ),
  /** Scripts of the skill may be edited. */
  allowScripts: setting(yesOrNo, { default: false, flag: "--allow-scripts", only: "train" }),
  /** The largest size of all that may be edited, in characters. */
  maxSkillLength: setting(wholeFrom(1), { default: 60_000, flag: "--max-skill-length <n>", only: "train" }),
  /** The most tokens of each part of the skill, estimated. An edit that grows one beyond it is refused. */
  tokenBudgets: settingGroup({
    /** The frontmatter's description. 1024 characters are the rule. */
    description: setting(wholeFrom(1), { otherwise: "none" }),
    /** The main file without its frontmatter. */
    body: setting(wholeFrom(1), { default: 5000 }),
    /** Each reference. */
    reference: setting(wholeFrom(1), { otherwise: "none" }),
    /** Each script. */
    script: setting(wholeFrom(1), { otherwise: "none" }),
  }),
  /** What one rollout of an agent may use. Reaching a limit is an outcome of the task. */
  agentLimits: settingGroup({
    /** Turns of the agent. */
    turns: setting(wholeFrom(1), { default: 30 }),
    /** Model calls. */
    calls: setting(wholeFrom(1), { default: 60 }),
    /** Tokens. What a call could use at most is set aside before it is made: about its bytes and its `max_tokens`. */
    tokens: setting(wholeFrom(1), { default: 2_000_000 }),
    /** Active time: waiting for the provider does not count. */
    seconds: setting(wholeFrom(1), { default: 600 }),
    /** Memory in megabytes. */
    memoryMb: setting(wholeFrom(64), { default: 4096 }),
    /** Processes at a time. */
    processes: setting(wholeFrom(8), { default: 256 }),
    /** Disk in megabytes. */
    diskMb: setting(wholeFrom(1), { default: 1024 }),
  }),
};

export const ownSettings = {
  /** Instructions of an optimizer contract by its name: the text, or a path that begins with `./`. */
  prompts: setting(z.record(z.string(), someText), { default: {}, otherwise: "those of whetstone" }),
  /** Handed to the environment and the prompts as it is. */
  extras: setting(z.record(z.string(), z.json()), { default: {}, otherwise: "nothing" }),
  /** Any word: an independent repetition of a run that is finished. */
  fresh: setting(someText, { flag: "--fresh <word>" }),
};

/** Limits on what a run may use; raising one continues the same run. */
export const capSettings = {
  /** US dollars. */
  usd: setting(amount, { flag: "--spend-usd <n>", flagHelp: "cap in US dollars" }),
  /** Tokens of all calls. */
  tokens: setting(amount, { flag: "--spend-tokens <n>", flagHelp: "cap in tokens" }),
  /** Model calls. */
  calls: setting(amount, { flag: "--spend-calls <n>", flagHelp: "cap in calls" }),
  /** Minutes of work. */
  minutes: setting(amount, { flag: "--spend-minutes <n>", flagHelp: "cap in minutes" }),
};

/** What can change a decision: part of the run's identity. Every field is set; users write `Config`. */
export interface TrainSettings
  extends FilledSettings<typeof searchSettings>,
    Omit<FilledSettings<typeof gateSettings>, "gate">,
    FilledSettings<typeof studySettings>,
    FilledSettings<typeof measureSettings>,
    FilledSettings<typeof limitSettings>,
    FilledSettings<typeof ownSettings> {
  /** Of a gate that was given in code: its name and version. */
  readonly gate: GateName | `${string}@${string}`;
  /** Trials per task and arm of a claim; `auto`: as many as find +20 points in 80 of 100 cases, at most ten. */
  readonly claimTrials: number | "auto";
}

export type SpendCaps = Partial<FilledSettings<typeof capSettings>>;

/** Whether a run is capped also where nobody knows what a call costs. */
export const isCappedOtherwise = ({ calls, tokens, minutes }: SpendCaps): boolean =>
  calls !== undefined || tokens !== undefined || minutes !== undefined;

export const defaultSeed = defaultOf(measureSettings.seed);
