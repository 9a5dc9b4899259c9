import type { SourceName } from "../../core/sleep/mine/digest.ts";
import type { Config } from "../schema.ts";

/** The `sleep` part of a config with its defaults in. */
export interface SleepSettings {
  readonly places: Readonly<Partial<Record<SourceName, string>>>;
  readonly lookbackHours: number;
  readonly maxConversations: number;
  readonly maxTasks: number;
  readonly evolveSkill: boolean;
  readonly evolveMemory: boolean;
  readonly memory?: string;
  readonly skillRoots: readonly string[];
  readonly gate: "on" | "off";
  readonly attempts: number;
  readonly trials: number;
  readonly editBudget: number;
  readonly maxOpenRules: number;
  readonly recall: number;
  readonly paraphrases: number;
  readonly preferences: string;
  readonly verify?: string;
  readonly dependencies: readonly string[];
}

export const resolveSleep = ({ sleep = {} }: Config): SleepSettings => ({
  places: {},
  lookbackHours: 72,
  maxConversations: 40,
  maxTasks: 40,
  evolveSkill: true,
  evolveMemory: true,
  skillRoots: [],
  gate: "on",
  attempts: 3,
  trials: 3,
  editBudget: 4,
  maxOpenRules: 6,
  recall: 4,
  paraphrases: 1,
  preferences: "",
  dependencies: [],
  ...sleep,
});
