import { otlpPackages } from "../../adapters/telemetry/otlp-backend.ts";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { loadPeer } from "../../adapters/load-peer.ts";
import { guessSkill, guessTasks } from "../../config/guess.ts";
import { noteCode } from "../../config/trust/guard-imports.ts";
import { importModule } from "../../config/import-module.ts";
import { scorerFiles } from "../../config/files/load-custom-scorers.ts";
import { readTasks } from "../../config/files/read-tasks.ts";
import { usedPeers } from "../../config/resolve/used-peers.ts";
import { defaultSeed } from "../../core/settings.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";

/** Loads what a run of this config would load beside the config itself, for a guard that notes it. What cannot be loaded is the run's to tell. */
export async function surveyCode(config: Config, cwd: string): Promise<void> {
  notePrograms(config, cwd);
  const { environment } = config;
  if (typeof environment === "string") await tryOut(() => importModule(environment.split("#", 1)[0] ?? ""));
  for (const file of await findScorers(config, cwd)) await tryOut(() => importModule(file));
}

/** Scripts of the project that its config names as programs; those that are installed elsewhere are this machine's. */
export function notePrograms({ agents = {} }: Config, cwd: string): void {
  const project = `${realpathSync(cwd)}${sep}`;
  for (const { command, acp = [], run = [] } of Object.values(agents)) {
    for (const word of [command ?? "", ...acp, ...run]) {
      if (!existsSync(word) || !statSync(word).isFile()) continue;
      const path = realpathSync(word);
      if (path.startsWith(project)) noteCode(path, readFileSync(path));
    }
  }
}

/** Packages that are loaded when they are needed, from the project where they are not installed beside whetstone. */
export async function surveyPeers(config: Config): Promise<void> {
  const named = [config.target, config.optimizer, config.judge, config.miner];
  const ids = named.filter((choice) => typeof choice === "string");
  const used = usedPeers(ids, config).map(({ name }) => name);
  const needed = [...used, ...(config.telemetry === true ? otlpPackages : [])];
  for (const name of new Set(needed)) await tryOut(() => loadPeer(name));
}

async function findScorers(config: Config, cwd: string): Promise<readonly string[]> {
  const skill = typeof config.skill === "string" ? config.skill : guessSkill(cwd);
  const tasks = config.tasks ?? guessTasks(cwd, skill);
  if (tasks === undefined) return [];
  const splits = await tryOut(() =>
    readTasks(tasks, {
      seed: defaultSeed,
      ratio: undefined,
      seen: undefined,
      splitNames: config.splitNames,
      needsScoring: false,
      skipInvalid: true,
      onSkip: () => {},
    }),
  );
  return splits === undefined ? [] : scorerFiles(Object.values(splits).flat(), cwd, config.scorers);
}

async function tryOut<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof WhetstoneError) return undefined;
    throw error;
  }
}
