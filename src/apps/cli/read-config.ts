import { expandConfig, loadConfig, mergeConfigs } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import type { Io } from "./io.ts";

export interface RunFlags {
  /** The config file's path. */
  readonly config?: string | undefined;
  readonly json: boolean;
  /** Flags that stand for config keys. */
  readonly given: Config;
}

/** The config file with the flags on top. */
export async function readConfig({ config, given }: Omit<RunFlags, "json">, io: Io): Promise<Config> {
  const file = await loadConfig(io.cwd, config);
  return mergeConfigs(file.config, await expandConfig(given, io.cwd, "The command line"));
}
