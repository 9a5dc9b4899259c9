import { type SandboxChoice, chooseSandbox } from "../../adapters/sandboxes/choose-sandbox.ts";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { AgentRequest } from "../../core/ports/agent.ts";
import type { ModelRequest, Role } from "../../core/ports/model.ts";
import type { Unit } from "../../core/work/unit.ts";
import { powersOfCode, powersOfModel } from "../trust/asked-powers.ts";
import { loadNamedScorers } from "../files/load-custom-scorers.ts";
import { parseConfig } from "../parse-config.ts";
import { agentNameOf } from "./agent-name.ts";
import { connectAgent } from "./resolve-agents.ts";
import { modelId } from "./resolve-model.ts";
import { resolveConfig } from "./resolve.ts";
import type { Resolved } from "./resolved.ts";
import type { Config } from "../schema.ts";
import type { AskedPower, WorkerPolicy } from "../trust/worker-policy.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface WorkerPlace {
  readonly env: Env;
  readonly policy: WorkerPolicy;
}

export interface ResolvedForWorker {
  readonly resolved: Resolved;
  /** The address of the run's journal. */
  readonly journal: string;
  /** Why this machine can't or may not do a unit: a program, its version, a key, a sandbox or a permission. */
  readonly unable: (unit: Unit) => WhetstoneError | undefined;
}

/** The run as this machine sees it. Refused if its results could differ from the coordinator's, or it isn't allowed. */
export async function resolveForWorker(
  settings: JsonObject,
  { env, policy }: WorkerPlace,
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
  const { environment: module, ...rest } = parseConfig(settings["config"], "The run's settings");
  const beyondBox = refusalOfSandbox(rest.sandbox ?? "auto", policy.sandbox);
  const isNamedBox = policy.sandbox !== "auto" && policy.sandbox !== "none";
  const asked = { ...rest, ...(isNamedBox ? { sandbox: policy.sandbox } : {}) };
  const code = powersOfCode({ environment: module }, scorers, cwd);
  const beyondCode = firstRefusal(code, policy);
  // code that may not run here isn't loaded either: units that need it are left to other workers
  const config: Config =
    module === undefined || beyondCode !== undefined ? asked : { ...asked, environment: module };
  /** By model or agent name. */
  const missing = new Map<string, WhetstoneError>();
  const ids = modelsOf(config, roles);
  for (const [id, isAgent] of ids) {
    const beyond =
      firstRefusal(await powersOfModel(id, config, env), policy) ?? (isAgent ? beyondBox : undefined);
    if (beyond !== undefined) missing.set(id, beyond);
  }
  const resolved = await resolveConfig(config, {
    cwd,
    env,
    // opening an agent starts its program
    roles: roles.filter((role) => !missing.has(modelOf(config, role))),
    withoutTasks: true,
    fromCoordinator: true,
    onMissing: (id, error) => missing.set(id, error),
  });
  if (beyondCode === undefined && resolved.environment.version !== environment) {
    throw differs("environment", resolved.environment.version, environment);
  }
  for (const [id, version] of Object.entries(agents)) {
    if (missing.has(id)) continue;
    const own = resolved.agents?.get(id)?.version;
    const problem =
      own === undefined || own === version
        ? await findMissingKey(id, config, env)
        : differs(id, own, version);
    if (problem !== undefined) missing.set(id, problem);
  }
  const noSandbox = hasCommands ? (beyondBox ?? (await findMissingSandbox(config, env))) : beyondBox;
  const customScorers =
    beyondCode === undefined ? await loadNamedScorers(scorers, cwd) : new Map<string, never>();
  return {
    resolved: { ...resolved, customScorers },
    journal,
    unable: ({ kind, input }) => {
      if (kind === "command") return noSandbox;
      if (kind === "environment") return beyondCode;
      if (kind === "agent") return missing.get((input as unknown as AgentRequest).agent);
      if (kind === "generate") return missing.get((input as unknown as ModelRequest).model);
      return undefined;
    },
  };
}

const firstRefusal = (powers: readonly AskedPower[], policy: WorkerPolicy): WhetstoneError | undefined =>
  powers.flatMap((power) => policy.refusalOf(power) ?? [])[0];

function modelOf(config: Config, role: Role): string {
  const { target = config.optimizer, optimizer = target } = config;
  const choice = role === "target" ? target : (config[role] ?? optimizer);
  return choice === undefined ? "" : modelId(choice);
}

/** The models that are called, and whether each is an agent. */
const modelsOf = (config: Config, roles: readonly Role[]): ReadonlyMap<string, boolean> =>
  new Map(
    roles.map((role) => {
      const id = modelOf(config, role);
      return [id, agentNameOf(id, config) !== undefined];
    }),
  );

/** Never weaker than the worker's own. */
function refusalOfSandbox(asked: SandboxChoice, own: SandboxChoice): WhetstoneError | undefined {
  if (asked === own || asked === "auto" || own === "none" || (own === "auto" && asked !== "none"))
    return undefined;
  return new WhetstoneError(
    "not-allowed",
    `The run asks for sandbox "${asked}", but this worker was started with "${own}".`,
    {
      hint: `Remove \`sandbox\` from the run's config, or start the worker with --sandbox ${asked} if you want it.`,
    },
  );
}

const differs = (what: string, here: string, there: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `A worker has version ${here} of ${what}, but the run has ${there}.`, {
    hint: "Install the same version there, or stop that worker.",
  });

/** Otherwise an agent's first call would be refused, and the run would stop with it. */
async function findMissingKey(id: string, config: Config, env: Env): Promise<WhetstoneError | undefined> {
  try {
    await connectAgent(id, config, env);
    return undefined;
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    return new WhetstoneError("provider-refused", `On a worker: ${error.message}`, {
      hint: error.hint ?? "Set it in the worker's environment, then restart the worker.",
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
