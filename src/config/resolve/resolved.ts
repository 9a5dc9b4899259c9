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

/** How workers are reached, and what they need to know of the run. */
export interface Fleet {
  /** The address of Redis. */
  readonly redis: string;
  /** Beyond this machine also without password or TLS. */
  readonly insecureRedis?: boolean;
  /** Known to workers and coordinators alone: what stands in Redis is signed with it. */
  readonly secret: string;
  readonly settings: JsonObject;
}

/** A config with every question answered: files read, models found, defaults in. What a run is made of. */
export interface Resolved {
  readonly settings: TrainSettings;
  /** One that was given in code; else the settings name it. */
  readonly gate?: Gate;
  readonly skill: Skill;
  /** Where the skill was read from; never part of a run's identity. */
  readonly skillPath: string;
  /** Which files of its folder are the skill, for another version of it. */
  readonly skillList?: SkillList;
  /** Files of the skill that are meant to hold answers. */
  readonly mayHoldAnswers?: readonly string[];
  readonly splits: Splits;
  /** Skills that are installed beside it. */
  readonly neighbours?: readonly Skill[];
  /** `provider/model` by role. */
  readonly models: Readonly<Record<Role, string>>;
  /** Of models whose address is not their vendor's own, by `provider/model`; missing where all are. */
  readonly hosts?: ModelHosts;
  /** Those whose requests can have further fields: models of OpenAI-compatible servers, by `provider/model`. */
  readonly takesBody?: ReadonlySet<string>;
  readonly modelObjects: ReadonlyMap<string, Model>;
  /** Chat models whose server is on this machine, by `provider/model`. */
  readonly near?: ReadonlySet<string>;
  /** Whether the target is an agent, opened or not. */
  readonly isAgent?: boolean;
  /** Agents with tools, by id; the target when it is one. */
  readonly agents?: ReadonlyMap<string, Agent>;
  /** Runs graders; refuses when there is no sandbox. */
  readonly runCommand?: RunCommandInBox;
  /** Functions of `custom` checks, by their written name. */
  readonly customScorers?: ReadonlyMap<string, CustomScorer>;
  /** Of the files that hold them, by written name. */
  readonly scorerHashes?: Readonly<Record<string, string>>;
  /** Answers that a person has judged, to try the judge on. */
  readonly calibration?: readonly CalibrationRow[];
  readonly prices: Readonly<Record<string, Price>>;
  /** Models for which a subscription pays. */
  readonly logins?: readonly string[];
  readonly environment: Environment;
  /** Names of checks that count although a degenerate answer passes them. */
  readonly waive?: readonly string[];
  /** Ids of tasks that nobody is asked for any more; never part of a run's identity. Missing where there are no tasks. */
  readonly leaveOut?: readonly string[];
  readonly spend: SpendCaps;
  readonly concurrency: number | "auto";
  /** How long one call of a model may take. @default "auto" */
  readonly callSeconds?: number | "auto";
  /** The folder of the journal and of everything else that is read back. */
  readonly journalDir: string;
  /** The folder for exports, which nothing reads back. @default journalDir */
  readonly exportDir?: string;
  /** Of a journal that machines share; the folder then holds everything else. */
  readonly journalUrl?: string;
  /** Units run on workers, on any machine. */
  readonly fleet?: Fleet;
  /** Answers come from the journal alone; a miss is an error. */
  readonly offline: boolean;
  /** Where artifacts are exported to; `<exportDir>/runs/<run>` by default. */
  readonly out?: string;
  /** Whether `skills/` keeps every version. */
  readonly snapshots: boolean;
  /** Spans and metrics are wanted, and where they go when this process has no SDK of its own. */
  readonly telemetry?: boolean;
  /** Removes what was made for the run on this machine; called at its end. */
  readonly close?: () => Promise<void>;
  /** What was guessed rather than said, one sentence each, to be shown. */
  readonly guesses: readonly string[];
  /** What a person should know of what was said, one sentence each, to be shown. */
  readonly notes: readonly string[];
}
