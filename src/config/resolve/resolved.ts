import type { ModelHosts } from "../../core/describe-models.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CalibrationRow } from "../../core/judge/probes.ts";
import type { Gate } from "../../core/loop/gate.ts";
import type { Agent } from "../../core/ports/agent.ts";
import type { RunCommandInBox } from "../../core/ports/command.ts";
import type { Model, Role } from "../../core/ports/model.ts";
import type { Price } from "../../core/work/price.ts";
import type { CustomScorer } from "../../core/scorers/performance.ts";
import type { SpendCaps, TrainSettings } from "../../core/settings.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import type { Splits } from "../../core/tasks/task.ts";
import type { SkillList } from "../files/list-skill-files.ts";

/** How to reach workers, and what they need to know about the run. */
export interface Fleet {
  /** The address of Redis. */
  readonly redis: string;
  /** Allows addresses beyond this machine without a password or TLS. */
  readonly insecureRedis?: boolean;
  /** Known only to workers and coordinators. It signs everything we put in Redis. */
  readonly secret: string;
  readonly settings: JsonObject;
}

/** A config with every question answered: files read, models found, defaults applied. A run is made from it. */
export interface Resolved {
  readonly settings: TrainSettings;
  /** Given in code; otherwise the settings name it. */
  readonly gate?: Gate;
  readonly skill: Skill;
  /** The path the skill was read from; never part of a run's identity. */
  readonly skillPath: string;
  /** Which files in its folder make up the skill, for reading another version of it. */
  readonly skillList?: SkillList;
  /** Skill files that may contain answers. */
  readonly mayHoldAnswers?: readonly string[];
  readonly splits: Splits;
  /** Skills installed next to it. */
  readonly neighbours?: readonly Skill[];
  /** `provider/model` by role. */
  readonly models: Readonly<Record<Role, string>>;
  /** Addresses of models that aren't at their vendor's own, by `provider/model`. Missing if all are. */
  readonly hosts?: ModelHosts;
  /** Models on OpenAI-compatible servers, whose requests can have extra fields, by `provider/model`. */
  readonly takesBody?: ReadonlySet<string>;
  readonly modelObjects: ReadonlyMap<string, Model>;
  /** Chat models whose server is on this machine, by `provider/model`. */
  readonly near?: ReadonlySet<string>;
  /** Whether the target is an agent, opened or not. */
  readonly isAgent?: boolean;
  /** Agents with tools, by id, if the target is an agent. */
  readonly agents?: ReadonlyMap<string, Agent>;
  /** Runs graders; throws if there's no sandbox. */
  readonly runCommand?: RunCommandInBox;
  /** Functions of `custom` checks, by the name as written. */
  readonly customScorers?: ReadonlyMap<string, CustomScorer>;
  /** Hashes of their files, by the name as written. */
  readonly scorerHashes?: Readonly<Record<string, string>>;
  /** Answers a person has graded, used to test the judge. */
  readonly calibration?: readonly CalibrationRow[];
  readonly prices: Readonly<Record<string, Price>>;
  /** Models that a subscription pays for. */
  readonly logins?: readonly string[];
  readonly environment: Environment;
  /** Names of checks that count even though a degenerate answer passes them. */
  readonly waive?: readonly string[];
  /** Ids of tasks to skip; never part of a run's identity. Missing if there are none. */
  readonly leaveOut?: readonly string[];
  readonly spend: SpendCaps;
  readonly concurrency: number | "auto";
  /** The time limit for one model call. @default "auto" */
  readonly callSeconds?: number | "auto";
  /** The folder for the journal and everything else we read back. */
  readonly journalDir: string;
  /** The folder for exports, which we never read back. @default journalDir */
  readonly exportDir?: string;
  /** The address of a journal shared by several machines. The folder still contains everything else. */
  readonly journalUrl?: string;
  /** Units run on workers, on any machine. */
  readonly fleet?: Fleet;
  /** Answers come only from the journal; a miss is an error. */
  readonly offline: boolean;
  /** The folder artifacts are exported to; `<exportDir>/runs/<run>` by default. */
  readonly out?: string;
  /** Whether `skills/` keeps every version. */
  readonly snapshots: boolean;
  /** Whether to send spans and metrics, and where, if this process has no SDK of its own. */
  readonly telemetry?: boolean;
  /** Removes the run's temporary files from this machine. Called at the end. */
  readonly close?: () => Promise<void>;
  /** Choices that were guessed, one sentence each, to be shown. */
  readonly guesses: readonly string[];
  /** Facts the user should know about their settings, one sentence each, to be shown. */
  readonly notes: readonly string[];
}
