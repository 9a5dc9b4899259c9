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

// settings that can change a decision, in the order of config.json; the others are in config/schema.ts

export const searchSettings = {
  /** Part of the skill to train. `description` is the text by which agents decide whether to load it. */
  track: setting(oneWordOf("body", "description"), { default: "body", flag: "--track <word>" }),
  /** Passes over the train split. */
  epochs: setting(wholeFrom(1), {
    default: ({ effort, shared }) => (effort === "quick" || shared ? 2 : 4),
    otherwise: "4; 2 with effort quick or up to 18 undivided tasks",
    flag: "--epochs <n>",
    only: "train",
  }),
  /** Extra epochs after a finished search by the gate `rules`, building on its rules and results. Earlier epochs come from the journal, and each extra one ends like a search of its own. */
  more: setting(wholeFrom(1), {
    otherwise: "none",
    flag: "--more <n>",
    flagHelp: "extra epochs after a finished search, building on its rules and results",
    only: "train",
  }),
  /** Train tasks per step. */
  batchSize: setting(wholeFrom(1), {
    // five steps per epoch, with at least what one analyst reads and at most what a step can use
    default: ({ train }) => Math.min(Math.max(Math.ceil(train / 5), 8), 40),
    otherwise: "a fifth of the train split, from 8 to 40",
    flag: "--batch-size <n>",
    only: "train",
  }),
  /** Trajectories per analyst call. */
  minibatchSize: setting(wholeFrom(1), { default: 8, flag: "--minibatch-size <n>", only: "train" }),
  /** Patches per merge call. */
  mergeBatchSize: setting(wholeFrom(2), { default: 8, flag: "--merge-batch-size <n>", only: "train" }),
  /** Edits per step at the start. With the gate `rules` and more than 15 val tasks, twice as many are tried, unless most tasks have several checks. */
  editBudget: setting(wholeFrom(1), { default: 4, flag: "--edit-budget <n>", only: "train" }),
  /** Edits per step at the end, at most `editBudget`. */
  minEditBudget: setting(wholeFrom(1), {
    default: ({ editBudget }) => Math.min(2, editBudget),
    otherwise: "2, or editBudget if smaller",
    flag: "--min-edit-budget <n>",
    only: "train",
  }),
  /** How the edit budget falls from step to step. */
  schedule: setting(oneWordOf("cosine", "linear", "constant"), {
    default: "cosine",
    flag: "--schedule <word>",
    only: "train",
  }),
  /** Batches per step. A step then uses `batchSize` times this many train tasks. */
  accumulation: setting(wholeFrom(1), { default: 1, flag: "--accumulation <n>", only: "train" }),
};

export const gateSettings = {
  /** Gate that decides on proposals. `rules` measures each rule separately, all at once; `strict` is the paper's gate and decides on whole patches; `off` accepts everything unverified. In code you can also pass a gate of your own. */
  gate: setting(oneWordOf(...gateNames), {
    default: defaultGate,
    otherwise: "strict if val has fewer than 6 tasks and most tasks have one check, otherwise rules",
    flag: "--gate <word>",
    flagHelp: "gate that decides on proposals: rules, strict, off (default: depends on tasks)",
    only: "train",
  }),
  /** Distinct texts per pass over val, in the gate `rules` and in `prune`. Fewer texts make better use of a provider's prompt cache; 0 gives each rollout its own. */
  texts: setting(wholeFrom(0), {
    default: ({ val }) => usualTexts(val),
    otherwise: "0; 8 with more than 50 val tasks",
    flag: "--texts <n>",
    flagHelp: "texts per pass over val; 0: one per rollout (default: 0; 8 from 51 val tasks on)",
    only: ["train", "prune"],
  }),
  /** Steps by which proposals lag behind the measurements of the gate `rules`. With 1, the next proposals are made while it measures. Runs of fewer than six steps never lag. */
  lag: setting(z.literal([0, 1], "must be 0 or 1"), {
    default: 1,
    flag: "--lag <n>",
    flagHelp: "steps by which proposals lag behind measurements, 0 or 1 (default: 1)",
    only: "train",
  }),
  /** Repeats per task and arm in the final comparison. */
  trials: setting(wholeFrom(1), {
    default: ({ effort }) => ({ quick: 1, standard: 3, thorough: 5 })[effort],
    otherwise: "enough for 80% power at +20 points, at most 10",
    flag: "--trials <n>",
    only: ["train", "measure"],
  }),
  /** Share of claims that may be false, over all reads of the same test tasks. */
  sealedAlpha: setting(numberUpTo(1), { default: 0.05, flag: "--sealed-alpha <share>" }),
  /** Stop evaluating a candidate once the verdict of the gate `strict` is certain. This takes fewer rollouts and more rounds. */
  stopEarly: setting(yesOrNo, {
    // for a person who answers, every block of a gate would be another round of questions
    default: ({ byHand }) => !byHand,
    otherwise: "true; false if a person answers",
    flag: "--no-stop-early",
    flagHelp: "judge every candidate on all of val",
    only: "train",
  }),
};

export const studySettings = {
  /** Rollouts per train task. With more than one, the optimizer studies what separates good from bad ones. */
  attempts: setting(wholeFrom(1), {
    default: ({ effort }) => (effort === "thorough" ? 3 : 1),
    flag: "--attempts <n>",
    only: "train",
  }),
  /** Write long-horizon guidance into a protected block at the end of epochs. */
  slowUpdate: setting(yesOrNo, {
    default: ({ track }) => track === "body",
    flag: "--no-slow-update",
    flagHelp: "don't write guidance at the end of epochs",
    only: "train",
  }),
  /** Train tasks to look at again at the end of an epoch. */
  slowUpdateSamples: setting(wholeFrom(1), { default: 20 }),
  /** Let the optimizer keep notes on which kinds of edits helped. */
  metaSkill: setting(yesOrNo, {
    default: true,
    flag: "--no-meta-skill",
    flagHelp: "don't let the optimizer keep notes across epochs",
    only: "train",
  }),
  /**
   * Format of the optimizer's replies. `plain` is for models of 1–8 billion parameters: analysts propose one edit at a
   * time in plain lines, without merging, ranking, notes and guidance.
   */
  contracts: setting(oneWordOf("json", "plain"), {
    otherwise: "json",
    flag: "--contracts <word>",
    only: "train",
  }),
  /** From five kept rules on, let an editor merge duplicates and put each rule where it belongs. Its text is kept if it carries every rule and loses little on val. */
  editor: setting(yesOrNo, {
    default: true,
    flag: "--no-editor",
    flagHelp: "keep rules in the words they were proposed in",
    only: "train",
  }),
  /** Also measure two baselines: no skill and a one-shot rewrite. If the rewrite does better on test, it is offered as unproven. */
  baselines: setting(yesOrNo, {
    default: ({ track }) => track === "body",
    flag: "--no-baselines",
    flagHelp: "don't measure the baselines: no skill and a one-shot rewrite",
    only: "train",
  }),
};

const growthRule = 'must be a change in percent, such as "+10%"';

export const measureSettings = {
  /** Score that the gate compares: passes, partial credit, or both. */
  metric: setting(oneWordOf("hard", "soft", "mixed"), {
    default: "hard",
    flag: "--metric <word>",
    only: "train",
  }),
  /** Weight of partial credit in `mixed`. */
  mixedWeight: setting(numberUpTo(1), { default: 0.5, flag: "--mixed-weight <share>", only: "train" }),
  /** Limits a change must respect besides gaining points. */
  objective: settingGroup({
    /**
     * Largest growth of a rollout's cost, such as "+10%". Nothing is called proven unless a separate test shows that the
     * limit is kept. Cost means money, or tokens if nothing has a price.
     */
    maxCost: setting(z.string(growthRule).regex(/^[+−-]?\d+(?:\.\d+)?\s*%$/, growthRule), {
      otherwise: "no limit",
      flag: "--max-cost <change>",
      only: ["train", "measure", "prune"],
    }),
  }),
  /**
   * Stop the run if more than this share of results is missing, either of all so far or of one stage of 20 or more. A single
   * missing result never stops it, unless the share is 0.
   */
  maxPendingShare: setting(numberUpTo(1), {
    default: 0.1,
    flag: "--max-pending-share <share>",
    flagHelp: "stop if more than this share of results is missing (default: 0.1)",
  }),
  /** Also study solved attempts on their own. Failures are shown next to similar solved attempts anyway. */
  successes: setting(yesOrNo, { default: false, flag: "--successes", only: "train" }),
  /** Seed for the order of tasks and batches. */
  seed: setting(z.int("must be a whole number"), { default: 42, flag: "--seed <n>" }),
  /** Measure the original and the best skill on the test split. */
  evalTest: setting(yesOrNo, {
    default: true,
    flag: "--no-eval-test",
    flagHelp: "don't measure on the test split",
    only: "train",
  }),
};

/** Fields that a run sets itself, or that could make an answer longer or more expensive than the amount booked for it. */
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
      "must not set a field that the run sets: model, messages, length, number or tier of answers",
    ),
  z.json(),
);

export const limitSettings = {
  /** Longest answer of the target, in tokens. */
  targetMaxTokens: setting(wholeFrom(1), { default: 4096, flag: "--target-max-tokens <n>" }),
  /** Longest answer of the optimizer, in tokens. */
  optimizerMaxTokens: setting(wholeFrom(1), {
    default: 16_384,
    flag: "--optimizer-max-tokens <n>",
    only: "train",
  }),
  /** Temperature of the target. It's only sent if set, because many models refuse it. */
  temperature: setting(numberUpTo(2), { flag: "--temperature <t>" }),
  /**
   * Extra request fields per role, for OpenAI-compatible servers. Examples: `seed`, `grammar`, `num_ctx` and
   * `chat_template_kwargs`. Requests to the optimizer and the judge have a `response_format`, unless it is `null` here.
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
  /** Allow edits to the skill's scripts. */
  allowScripts: setting(yesOrNo, { default: false, flag: "--allow-scripts", only: "train" }),
  /** Largest total size of the editable text, in characters. */
  maxSkillLength: setting(wholeFrom(1), { default: 60_000, flag: "--max-skill-length <n>", only: "train" }),
  /** Most tokens for each part of the skill, estimated. An edit that makes a part grow beyond its limit is refused. */
  tokenBudgets: settingGroup({
    /** The frontmatter's description. It may have at most 1024 characters in any case. */
    description: setting(wholeFrom(1), { otherwise: "none" }),
    /** The main file without its frontmatter. */
    body: setting(wholeFrom(1), { default: 5000 }),
    /** Each reference. */
    reference: setting(wholeFrom(1), { otherwise: "none" }),
    /** Each script. */
    script: setting(wholeFrom(1), { otherwise: "none" }),
  }),
  /** Limits for one rollout of an agent. Reaching one counts as an outcome of the task. */
  agentLimits: settingGroup({
    /** Turns of the agent. */
    turns: setting(wholeFrom(1), { default: 30 }),
    /** Model calls. */
    calls: setting(wholeFrom(1), { default: 60 }),
    /** Tokens. Each call's maximum is reserved before it is made: about its bytes plus its `max_tokens`. */
    tokens: setting(wholeFrom(1), { default: 2_000_000 }),
    /** Active time. Waiting for the provider doesn't count. */
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
  /** Instructions for an optimizer contract, by its name: the text, or a path that begins with `./`. */
  prompts: setting(z.record(z.string(), someText), { default: {}, otherwise: "Whetstone's own" }),
  /** Passed unchanged to the environment and the prompts. */
  extras: setting(z.record(z.string(), z.json()), { default: {}, otherwise: "nothing" }),
  /** Any word, to repeat a finished run independently. */
  fresh: setting(someText, { flag: "--fresh <word>" }),
};

/** Limits on what a run may use. Raise one to continue the same run. */
export const capSettings = {
  /** US dollars. */
  usd: setting(amount, { flag: "--spend-usd <n>", flagHelp: "spend cap in US dollars" }),
  /** Tokens of all calls. */
  tokens: setting(amount, { flag: "--spend-tokens <n>", flagHelp: "spend cap in tokens" }),
  /** Model calls. */
  calls: setting(amount, { flag: "--spend-calls <n>", flagHelp: "spend cap in calls" }),
  /** Minutes of work. */
  minutes: setting(amount, { flag: "--spend-minutes <n>", flagHelp: "spend cap in minutes" }),
};

/** Settings that can change a decision, so they are part of the run's identity. Every field is set; users write `Config`. */
export interface TrainSettings
  extends FilledSettings<typeof searchSettings>,
    Omit<FilledSettings<typeof gateSettings>, "gate">,
    FilledSettings<typeof studySettings>,
    FilledSettings<typeof measureSettings>,
    FilledSettings<typeof limitSettings>,
    FilledSettings<typeof ownSettings> {
  /** For a gate given in code: its name and version. */
  readonly gate: GateName | `${string}@${string}`;
  /** Repeats per task and arm of a claim; `auto`: enough for 80% power at +20 points, at most 10. */
  readonly claimTrials: number | "auto";
}

export type SpendCaps = Partial<FilledSettings<typeof capSettings>>;

/** Whether a run has a cap that holds even if the price of a call is unknown. */
export const isCappedOtherwise = ({ calls, tokens, minutes }: SpendCaps): boolean =>
  calls !== undefined || tokens !== undefined || minutes !== undefined;

export const defaultSeed = defaultOf(measureSettings.seed);
