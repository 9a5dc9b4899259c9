import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { loadPeer } from "../../adapters/load-peer.ts";
import { guessSkill, guessTasks } from "../../config/guess.ts";
import { noteCode } from "../../config/trust/guard-imports.ts";
import { importModule } from "../../config/import-module.ts";
import { scorerFiles } from "../../config/files/load-custom-scorers.ts";
import { readableTasks } from "../../config/files/read-tasks.ts";
import { usedPeers } from "../../config/resolve/used-peers.ts";
import type { Config } from "../../config/schema.ts";
import { boxedKinds, checksIn } from "../../core/scorers/uses-kind.ts";
import type { Task } from "../../core/tasks/task.ts";
import { WhetstoneError } from "../../core/errors.ts";

/** Loads the code a run would load besides its config, for a guard that notes it. The run reports what can't be loaded. */
export async function surveyCode(config: Config, cwd: string): Promise<void> {
  notePrograms(config, cwd);
  const tasks = await noteCommands(config, cwd);
  const { environment } = config;
  if (typeof environment === "string") await tryOut(() => importModule(environment.split("#", 1)[0] ?? ""));
  for (const file of scorerFiles(tasks, cwd, config.scorers)) await tryOut(() => importModule(file));
}

/** Notes a suite's own code, even though it runs in a sandbox, and the commands of checks that don't. Returns the tasks. */
export async function noteCommands(config: Config, cwd: string): Promise<readonly Task[]> {
  const { drop, splitNames } = config;
  const skill = typeof config.skill === "string" ? config.skill : guessSkill(cwd);
  const tasks = await readableTasks(config.tasks ?? guessTasks(cwd, skill), { drop, splitNames });
  const checks = tasks.flatMap(({ checks: own = [] }) => checksIn(own));
  for (const kind of config.sandbox === "none" ? boxedKinds : ["code"]) {
    // the code's context is data
    const found = checks.flatMap((check) =>
      check.kind === kind ? [JSON.stringify({ ...Object(check.value), context: undefined })] : [],
    );
    const name = kind === "code" ? "code of checks" : "commands of checks";
    if (found.length > 0) noteCode(join(realpathSync(cwd), name), [...new Set(found)].join("\n"));
  }
  return tasks;
}

/** Notes scripts of the project that its config names as programs; programs installed elsewhere belong to this machine. */
export function notePrograms({ agents = {} }: Config, cwd: string): void {
  const project = `${realpathSync(cwd)}${sep}`;
  for (const { command, acp = [], run = [] } of Object.values(agents)) {
    for (const word of [command ?? "", ...acp, ...run]) {
      if (!existsSync(word) || !statSync(word).isFile()) continue;
      const [real, written] = [realpathSync(word), resolve(cwd, word)];
      // a link in the project belongs to the project, wherever it leads
      const path = [real, written].find((one) => one.startsWith(project));
      if (path !== undefined) noteCode(path, readFileSync(real));
    }
  }
}

/** Notes packages that are loaded on demand, from the project if they aren't installed next to whetstone. */
export async function surveyPeers(config: Config): Promise<void> {
  const named = [config.target, config.optimizer, config.judge, config.miner];
  const ids = named.filter((choice) => typeof choice === "string");
  const used = usedPeers(ids, config).map(({ name }) => name);
  const needed = [...used, ...(config.telemetry === true ? ["@opentelemetry/api"] : [])];
  for (const name of new Set(needed)) await tryOut(() => loadPeer(name));
}

async function tryOut<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof WhetstoneError) return undefined;
    throw error;
  }
}
