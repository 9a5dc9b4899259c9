import { chooseSandbox } from "../adapters/sandboxes/choose-sandbox.ts";
import { InfraError, WhetstoneError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { AgentRequest } from "../core/ports/agent.ts";
import type { ModelRequest, Role } from "../core/ports/model.ts";
import type { Unit } from "../core/unit.ts";
import { loadNamedScorers } from "./load-custom-scorers.ts";
import { parseConfig } from "./parse-config.ts";
import { connectAgent } from "./resolve-agents.ts";
import { resolveConfig } from "./resolve.ts";
import type { Resolved } from "./resolved.ts";
import type { Config } from "./schema.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface WorkerPlace {
  readonly env: Env;
}

export interface ResolvedForWorker {
  readonly resolved: Resolved;
  /** The address of the run's journal. */
  readonly journal: string;
  /** Why this machine cannot do a unit of the run: a program, its version, a key or a sandbox. */
  readonly unable: (unit: Unit) => WhetstoneError | undefined;
}

/** The run as this machine sees it; refused where it would not do the same as the coordinator's. */
export async function resolveForWorker(
  settings: JsonObject,
  { env }: WorkerPlace,
): Promise<ResolvedForWorker> {
  const { roles, environment, agents, scorers, hasCommands, journal, cwd } = settings as unknown as {
    readonly roles: readonly Role[];
    readonly environment: string;
    readonly agents: Readonly<Record<string, string>>;
    readonly scorers: readonly string[];
    readonly hasCommands: boolean;
    readonly journal: string;
    readonly cwd: string;
  };
  const config = parseConfig(settings["config"], "The run's settings");
  /** By the name of a model or an agent. */
  const missing = new Map<string, WhetstoneError>();
  const resolved = await resolveConfig(config, {
    cwd,
    env,
    roles,
    withoutTasks: true,
    onMissing: (id, error) => missing.set(id, error),
  });
  if (resolved.environment.version !== environment) {
    throw differs("environment", resolved.environment.version, environment);
  }
  for (const [id, version] of Object.entries(agents)) {
    const own = resolved.agents?.get(id)?.version;
    const problem =
      own === undefined || own === version
        ? await findMissingKey(id, config, env)
        : differs(id, own, version);
    if (problem !== undefined && !missing.has(id)) missing.set(id, problem);
  }
  const noSandbox = hasCommands ? await findMissingSandbox(config, env) : undefined;
  return {
    resolved: { ...resolved, customScorers: await loadNamedScorers(scorers, cwd) },
    journal,
    unable: ({ kind, input }) => {
      if (kind === "command") return noSandbox;
      if (kind === "agent") return missing.get((input as unknown as AgentRequest).agent);
      if (kind === "generate") return missing.get((input as unknown as ModelRequest).model);
      return undefined;
    },
  };
}

const differs = (what: string, here: string, there: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `On a worker, ${what} is version ${here}; the run has ${there}.`, {
    hint: "Install the same version there, or stop that worker.",
  });

/** An agent's first call would be refused, and with it the run. */
async function findMissingKey(id: string, config: Config, env: Env): Promise<WhetstoneError | undefined> {
  try {
    await connectAgent(id, config, env);
    return undefined;
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    return new WhetstoneError("provider-refused", `On a worker: ${error.message}`, {
      hint: error.hint ?? "Set it in the worker's environment, and start the worker again.",
    });
  }
}

const findMissingSandbox = (config: Config, env: Env): Promise<WhetstoneError | undefined> =>
  chooseSandbox(config.sandbox ?? "auto", { env }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof WhetstoneError) return error;
      throw error;
    },
  );
