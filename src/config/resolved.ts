import type { Model, Role } from "../core/ports/model.ts";
import type { Price } from "../core/price.ts";
import type { SpendCaps, TrainSettings } from "../core/settings.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { Environment } from "../core/tasks/environment.ts";
import type { Splits } from "../core/tasks/task.ts";

/** A config with every question answered: files read, models found, defaults in. What a run is made of. */
export interface Resolved {
  readonly settings: TrainSettings;
  readonly skill: Skill;
  /** Where the skill was read from; never part of a run's identity. */
  readonly skillPath: string;
  readonly splits: Splits;
  /** `provider/model` by role. */
  readonly models: Readonly<Record<Role, string>>;
  readonly modelObjects: ReadonlyMap<string, Model>;
  readonly prices: Readonly<Record<string, Price>>;
  readonly environment: Environment;
  readonly spend: SpendCaps;
  readonly concurrency: number | "auto";
  /** The folder of the journal, `.whetstone` by default. */
  readonly journalDir: string;
  /** Answers come from the journal alone; a miss is an error. */
  readonly offline: boolean;
  /** Where artifacts go; `<journalDir>/runs/<run>` by default. */
  readonly out?: string;
  /** Whether `skills/` keeps every version. */
  readonly snapshots: boolean;
  /** What was guessed rather than said, one sentence each, to be shown. */
  readonly guesses: readonly string[];
}
