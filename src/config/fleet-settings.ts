import { shownRedis } from "../adapters/fleet/open-redis.ts";
import type { JournalPlace } from "../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../core/errors.ts";
import { isHandoff } from "../core/work/handoff.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Agent } from "../core/ports/agent.ts";
import type { Role } from "../core/ports/model.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { Environment } from "../core/tasks/environment.ts";
import type { ModelChoices } from "./resolve/resolve-models.ts";
import type { Config } from "./schema.ts";

export interface FleetFacts {
  readonly choices: ModelChoices;
  /** The roles that are called. */
  readonly roles: readonly Role[];
  readonly skill: Skill;
  readonly environment: Environment;
  readonly agents: ReadonlyMap<string, Agent>;
  /** Names of custom checks. */
  readonly scorers: readonly string[];
  readonly hasCheckouts: boolean;
  /** Whether graders run. If they do, a worker needs a sandbox. */
  readonly hasCommands: boolean;
  readonly place: JournalPlace;
  readonly cwd: string;
}

/** The settings a remote worker needs to run units of this run. They don't include keys: each worker has its own. */
export function fleetSettings(config: Config, facts: FleetFacts): JsonObject {
  const { choices, roles, skill, environment, agents, scorers, hasCheckouts, hasCommands, place, cwd } =
    facts;
  const models = Object.fromEntries(
    (Object.keys(choices) as Role[]).map((role) => {
      const choice = choices[role];
      if (typeof choice === "string" && !isHandoff(choice)) return [role, choice];
      if (!roles.includes(role)) return [role, ""];
      if (typeof choice === "string" && isHandoff(choice))
        throw refusal(
          `Questions to the ${role} are answered in a folder on this machine`,
          "Name a model that answers automatically, as provider/model or agent/model",
        );
      throw refusal(`The ${role} is an object in this process`, "Name it as provider/model or agent/model");
    }),
  );
  if (config.environment !== undefined && typeof config.environment !== "string") {
    throw refusal(
      "The environment is a function in this process",
      "bullmq needs a module path: ./env.ts#name",
    );
  }
  const given = scorers.find((name) => Object.hasOwn(config.scorers ?? {}, name));
  if (given !== undefined)
    throw refusal(
      `The scorer ${given} is a function in this process`,
      "bullmq needs a module path: ./score.ts#name",
    );
  if (hasCheckouts)
    throw refusal(
      "Tasks that start from a commit need this machine's repository",
      "Leave out the tasks with `checkout`",
    );
  const shared = Object.fromEntries(
    sharedKeys.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key] as Json]])),
  );
  const named = Object.fromEntries(Object.entries(models).filter(([, id]) => id !== ""));
  return {
    config: { ...shared, ...named, skill: { main: skill.main, files: { ...skill.files } } },
    roles: [...roles],
    environment: environment.version,
    agents: Object.fromEntries([...agents].map(([id, { version }]) => [id, version])),
    scorers: [...scorers],
    hasCommands,
    journal: shownRedis(place.journalUrl ?? place.journalDir),
    cwd,
  };
}

const sharedKeys = [
  "agentLimits",
  "agents",
  "baseURL",
  "callSeconds",
  "concurrency",
  "environment",
  "extraBody",
  "extras",
  "fresh",
  "optimizerMaxTokens",
  "prices",
  "proxy",
  "providers",
  "sandbox",
  "seed",
  "spend",
  "targetMaxTokens",
  "temperature",
  "track",
] as const satisfies readonly (keyof Config)[];

const refusal = (what: string, hint: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `${what}, but with executor "bullmq" units run on workers.`, {
    hint: `${hint}; or use executor "local".`,
  });
