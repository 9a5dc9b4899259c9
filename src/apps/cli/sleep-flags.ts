import { asIs, toNumber, type ConfigFlag } from "./flag-values.ts";

/** Config keys whose flags a night has in common with training. */
export const ofNights: ReadonlySet<string> = new Set([
  "target",
  "optimizer",
  "judge",
  "baseURL",
  "prices",
  "targetMaxTokens",
  "optimizerMaxTokens",
  "temperature",
  "seed",
  "metric",
  "spend.usd",
  "spend.tokens",
  "spend.calls",
  "spend.minutes",
  "sandbox",
  "maxPendingShare",
  "concurrency",
  "journal",
  "offline",
  "telemetry",
  "verbose",
]);

const nights = "Nights:";

/** Flags of nights alone. */
export const sleepFlags: readonly ConfigFlag[] = [
  {
    flags: "--miner <model>",
    path: "miner",
    about: "who finds tasks in conversations (default: the optimizer)",
    group: "Models:",
    read: asIs,
  },
  {
    flags: "--memory <path>",
    path: "sleep.memory",
    about: "the project's file of standing instructions",
    group: nights,
    read: asIs,
  },
  {
    flags: "--lookback-hours <n>",
    path: "sleep.lookbackHours",
    about: "how far the first night looks back",
    group: nights,
    read: toNumber,
  },
  {
    flags: "--max-conversations <n>",
    path: "sleep.maxConversations",
    about: "conversations per night",
    group: nights,
    read: toNumber,
  },
  {
    flags: "--max-tasks <n>",
    path: "sleep.maxTasks",
    about: "tasks per night",
    group: nights,
    read: toNumber,
  },
  {
    flags: "--edit-budget <n>",
    path: "sleep.editBudget",
    about: "rules that a night may propose per document",
    group: nights,
    read: toNumber,
  },
  {
    flags: "--attempts <n>",
    path: "sleep.attempts",
    about: "rollouts per train task",
    group: nights,
    read: toNumber,
  },
  {
    flags: "--trials <n>",
    path: "sleep.trials",
    about: "rollouts per val task and arm",
    group: nights,
    read: toNumber,
  },
  {
    flags: "--gate <word>",
    path: "sleep.gate",
    about: "on, or off (rules are then unverified)",
    group: nights,
    read: asIs,
  },
  {
    flags: "--no-evolve-skill",
    path: "sleep.evolveSkill",
    about: "learn nothing for skills",
    group: nights,
    read: asIs,
  },
  {
    flags: "--no-evolve-memory",
    path: "sleep.evolveMemory",
    about: "learn nothing for the standing instructions",
    group: nights,
    read: asIs,
  },
  {
    flags: "--verify <command>",
    path: "sleep.verify",
    about: "a command of the project that says whether work is right",
    group: nights,
    read: asIs,
  },
  {
    flags: "--preferences <text>",
    path: "sleep.preferences",
    about: "house rules for whoever writes the rules",
    group: nights,
    read: asIs,
  },
];
