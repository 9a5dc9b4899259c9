import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ToolEnvironment } from "../run-tool.ts";

/** An agent our plugin can be installed in: through its own command, or through files it reads if it has none. */
export interface PluginHost {
  /** The command a person types there to check that it works. */
  readonly firstWords: string;
  /** Files and folders that an install or uninstall may change. */
  places(place: PluginPlace): readonly string[];
  /** The installed version; undefined if it isn't installed. */
  find(place: PluginPlace): Promise<string | undefined>;
  /** Throws if an install would collide with the user's files. Called before anything is touched. */
  refuseForeign?(place: PluginPlace): void;
  install(place: PluginPlace): Promise<void>;
  /** Removes everything that an install wrote. */
  uninstall(place: PluginPlace): Promise<void>;
}

export interface PluginPlace {
  /** Our package's folder, which some agents use as a marketplace. */
  readonly root: string;
  /** The plugin in it. */
  readonly folder: string;
  readonly env: ToolEnvironment;
  /** The user's own home. */
  readonly home: string;
  /** Runs the agent's program, shows the command to the user, and returns its output. Throws if it fails. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>;
  /** Like `run`, for a query that changes nothing and needn't be shown. */
  readonly ask: (args: readonly string[]) => Promise<string>;
}

/** The version in a manifest; undefined if it's missing or isn't a manifest. */
export function versionIn(manifest: string): string | undefined {
  try {
    return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8"))).version;
  } catch {
    return undefined;
  }
}
