import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type JournalPlace } from "../adapters/journals/open-journal.ts";
import { journalPlace } from "../config/journal-place.ts";
import { readEnv } from "../config/env.ts";
import { isWithin, realFolder } from "../adapters/project-matcher.ts";
import { WhetstoneError } from "../core/errors.ts";
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

/** The project and the places that its nights use. */
export interface SleepPlace extends JournalPlace {
  readonly config: Config;
  readonly settings: SleepSettings;
  /** Absolute, links resolved. */
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openPlace({ config, cwd, home = homedir(), env = readEnv() }: PlaceOptions): SleepPlace {
  const settings = fillSettings(sleepSettings, config).sleep;
  const project = realpathSync(cwd);
  const inside = Object.values(settings.places).find((folder) =>
    // the path as written, and with its links resolved
    [resolve(project, folder), realFolder(resolve(cwd, folder))].some((path) => isWithin(path, project)),
  );
  if (inside !== undefined)
    throw new WhetstoneError(
      "config-invalid",
      `"sleep.places" names ${inside}, where anybody who writes to the project could forge conversations.`,
      { hint: "Name a folder outside the project, or omit it to read the agent's usual folder." },
    );
  return {
    config,
    settings,
    project,
    home,
    env,
    ...journalPlace(config.journal, cwd),
  };
}
