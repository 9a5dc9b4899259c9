import { resolve } from "node:path";
import { expandConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { performNight } from "./night/perform-night.ts";
import type { Night, NightOptions } from "./night/night-summary.ts";

/** The config that a night uses, and options that only code can set. */
export interface RunNightOptions
  extends Omit<Config, "tasks">,
    Pick<NightOptions, "tasks" | "signal" | "onEvent" | "onGuess" | "onNote"> {
  /** The project's folder; `whetstone sleep init` must have opted it in. @default the working folder */
  readonly cwd?: string;
}

/**
 * Runs one night in a project, or resumes a stopped one. Live files don't change: its rules wait in
 * `.whetstone/proposals`.
 *
 * @example
 * const night = await runNight({ target: "openai/gpt-5.4-nano", optimizer: "openai/gpt-5.4", spend: { usd: 1 } });
 * console.log(night.sentence, night.proposals);
 */
export async function runNight(options: RunNightOptions): Promise<Night> {
  const { cwd: folder = "", tasks, signal, onEvent, onGuess, onNote, ...written } = options;
  const cwd = resolve(folder);
  const config = await expandConfig(written, cwd, "The config");
  return performNight({ config, cwd, tasks, signal, onEvent, onGuess, onNote });
}
