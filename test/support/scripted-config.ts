import type { Config, Splits } from "../../src/index.ts";
import { singleFileSkill } from "../../src/method.ts";

export const scriptedModels = { target: "scripted/target-1", optimizer: "scripted/optimizer-1" } as const;

export const scriptedPrices = {
  [scriptedModels.target]: { input: 0.25, output: 2 },
  [scriptedModels.optimizer]: { input: 2, output: 10 },
};

/** The paper's loop: six stages, a strict gate, one trial of each task. */
export const paperConfig = {
  epochs: 2,
  batchSize: 40,
  minibatchSize: 8,
  mergeBatchSize: 8,
  gate: "strict",
  trials: 1,
  texts: 4,
  lag: 0,
  attempts: 1,
  stopEarly: false,
  slowUpdate: false,
  metaSkill: false,
  editor: false,
  successes: true,
  baselines: false,
  targetMaxTokens: 1024,
  optimizerMaxTokens: 4096,
  maxSkillLength: 200_000,
  tokenBudgets: { body: 200_000 },
} as const satisfies Config;

type ScriptedTasks = Omit<Splits, "test"> & Partial<Splits>;

/** The config of a run against the scripted server, as a person would write it; settings that it doesn't name are the paper's. */
export const scriptedConfig = (url: string, skill: string, tasks: ScriptedTasks): Config => ({
  ...paperConfig,
  ...scriptedModels,
  skill: singleFileSkill(skill),
  tasks,
  providers: { scripted: { baseURL: `${url}/v1` } },
  prices: scriptedPrices,
  // every call in flight at a kill may have been billed, and is booked at its most
  spend: { usd: 1000 },
});
