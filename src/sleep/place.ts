import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { type JournalPlace } from "../adapters/journals/open-journal.ts";
import { journalPlace } from "../config/journal-place.ts";
import { readEnv } from "../config/env.ts";
import { type Config, type SleepSettings, sleepSettings } from "../config/schema.ts";
import { fillSettings } from "../core/setting.ts";

export interface PlaceOptions {
  readonly config: Config;
  /** The project's folder. */
  readonly cwd: string;
  /** @default the person's own */
  readonly home?: string;
  /** @default the process's */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Where nights of one project happen. */
export interface SleepPlace extends JournalPlace {
  readonly config: Config;
  readonly settings: SleepSettings;
  /** Absolute, links resolved. */
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openPlace({ config, cwd, home = homedir(), env = readEnv() }: PlaceOptions): SleepPlace {
  return {
    config,
    settings: fillSettings(sleepSettings, config).sleep,
    project: realpathSync(cwd),
    home,
    env,
    ...journalPlace(config.journal, cwd),
  };
}
