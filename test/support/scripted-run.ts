import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Resolved, TrainSettings } from "../../src/ports.ts";
import type { Splits } from "../../src/index.ts";
import { singleFileSkill } from "../../src/method.ts";
import { aiSdkModel } from "../../src/adapters/models/ai-sdk.ts";
import { scriptedModels, scriptedPrices } from "./scripted-config.ts";
import { chatEnvironment } from "../../src/core/tasks/chat-environment.ts";

export type { Resolved, TrainSettings };

export { scriptedModels, scriptedPrices };

export const paperSettings: TrainSettings = {
  track: "body",
  epochs: 2,
  batchSize: 40,
  minibatchSize: 8,
  mergeBatchSize: 8,
  editBudget: 4,
  minEditBudget: 2,
  schedule: "cosine",
  accumulation: 1,
  gate: "strict",
  trials: 1,
  claimTrials: 1,
  texts: 4,
  lag: 0,
  sealedAlpha: 0.05,
  stopEarly: false,
  attempts: 1,
  slowUpdate: false,
  slowUpdateSamples: 20,
  metaSkill: false,
  editor: false,
  baselines: false,
  metric: "hard",
  mixedWeight: 0.5,
  objective: {},
  maxPendingShare: 0.1,
  successes: true,
  seed: 42,
  evalTest: true,
  targetMaxTokens: 1024,
  optimizerMaxTokens: 4096,
  allowScripts: false,
  maxSkillLength: 200_000,
  tokenBudgets: { body: 200_000 },
  agentLimits: {
    turns: 30,
    calls: 60,
    tokens: 2_000_000,
    seconds: 120,
    memoryMb: 4096,
    processes: 256,
    diskMb: 1024,
  },
  prompts: {},
  extras: {},
};

export interface ScriptedRun {
  /** The scripted server's address. */
  readonly url: string;
  readonly skill: string;
  readonly splits: Splits;
  readonly settings?: Partial<TrainSettings>;
  readonly rest?: Partial<Resolved>;
  /** How long one call may take. @default 20 s */
  readonly timeoutMs?: number;
}

/** A run against the scripted server, as `resolve` would make it of a config. */
export function scriptedRun(run: ScriptedRun): Resolved {
  const { url, skill, splits, settings, rest, timeoutMs = 20_000 } = run;
  const provider = createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, apiKey: "none" });
  const model = (id: string) =>
    [id, aiSdkModel(provider(id.slice("scripted/".length)), { id, timeoutMs })] as const;
  const { target, optimizer } = scriptedModels;
  return {
    settings: { ...paperSettings, ...settings },
    skill: singleFileSkill(skill),
    skillPath: "SKILL.md",
    splits,
    models: { target, optimizer, judge: optimizer, miner: optimizer },
    modelObjects: new Map([model(target), model(optimizer)]),
    prices: scriptedPrices,
    environment: chatEnvironment,
    spend: {},
    concurrency: 64,
    journalDir: ".whetstone",
    offline: false,
    snapshots: true,
    guesses: [],
    notes: [],
    ...rest,
  };
}
