import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ToolEnvironment } from "../run-tool.ts";

/** An agent that our plugin goes into: what its own command would do, or what it reads where it has none. */
export interface PluginHost {
  /** What a person types there to see that it works. */
  readonly firstWords: string;
  /** Files and folders that an install or an uninstall may change. */
  places(place: PluginPlace): readonly string[];
  /** The version that is installed; undefined where none is. */
  find(place: PluginPlace): Promise<string | undefined>;
  /** Throws where an install would meet files of the person. Called before anything is touched. */
  refuseForeign?(place: PluginPlace): void;
  install(place: PluginPlace): Promise<void>;
  /** Leaves nothing that an install wrote. */
  uninstall(place: PluginPlace): Promise<void>;
}

export interface PluginPlace {
  /** The folder of our package: a marketplace to those agents that know such a thing. */
  readonly root: string;
  /** The plugin in it. */
  readonly folder: string;
  readonly env: ToolEnvironment;
  /** The person's own. */
  readonly home: string;
  /** Runs the agent's program, which is told to the person, and gives what it printed. Throws when it fails. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>;
  /** As `run`, for a question that changes nothing and need not be told. */
  readonly ask: (args: readonly string[]) => Promise<string>;
}

/** The version in a manifest; undefined when it is not there, or no manifest. */
export function versionIn(manifest: string): string | undefined {
  try {
    return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8"))).version;
  } catch {
    return undefined;
  }
}
