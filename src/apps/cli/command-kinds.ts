import type { Command } from "commander";
import { WhetstoneError } from "../../core/errors.ts";

/**
 * Which commands run code of the folder that they are started in (its config, environment and scorers). Those that
 * `read` run none of it: a folder that was cloned a minute ago can be looked at. Every command is in this list.
 */
export const commandKinds: Readonly<Record<string, "works" | "reads">> = {
  train: "works",
  eval: "works",
  compare: "works",
  pr: "works",
  prune: "works",
  plan: "works",
  noise: "works",
  doctor: "works",
  "doctor evals": "works",
  init: "works",
  trust: "works",
  worker: "works",
  mcp: "works",
  "sleep init": "works",
  "sleep run": "works",
  "sleep dry-run": "works",
  "sleep preview": "works",
  "sleep harvest": "works",
  "sleep schedule": "works",
  demo: "reads",
  diff: "reads",
  adopt: "reads",
  undo: "reads",
  runs: "reads",
  "runs show": "reads",
  "runs rm": "reads",
  "runs gc": "reads",
  report: "reads",
  ui: "reads",
  import: "reads",
  "plugin install": "reads",
  "plugin uninstall": "reads",
  "plugin list": "reads",
  "journal check": "reads",
  "journal salvage": "reads",
  fleet: "reads",
  "sleep status": "reads",
  "sleep unschedule": "reads",
  "sleep review": "reads",
  "sleep adopt": "reads",
  "sleep reject": "reads",
  "sleep undo": "reads",
};

/** `sleep run` of `whetstone sleep run`. */
export function commandWords(command: Command): string {
  const words = [];
  for (let at: Command | null = command; at?.parent != null; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

/** Only a command that works may be given what a config is read with. */
export function refuseReader(command: Command): void {
  const words = commandWords(command);
  if (commandKinds[words] === "works") return;
  throw new WhetstoneError(
    "failed",
    `\`whetstone ${words}\` is not listed as a command that runs the project's code.`,
  );
}
