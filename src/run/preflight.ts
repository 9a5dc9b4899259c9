import type { Context } from "../core/context.ts";
import { isBatch } from "../core/batch.ts";
import { InfraError, WhetstoneError } from "../core/errors.ts";
import { isHandoff } from "../core/handoff.ts";
import type { Json } from "../core/json.ts";
import { memo } from "../core/memo.ts";
import type { AgentRequest } from "../core/ports/agent.ts";
import type { ModelRequest, Role } from "../core/ports/model.ts";
import type { Unit } from "../core/unit.ts";

/** One small call per role, in turn and with one try: a dead key or a wrong name costs one call. */
export async function preflight(named: readonly Role[], context: Context): Promise<void> {
  // whoever answers by hand is asked nothing for show, and a batch may take hours: a dead key is found out when the first
  // one is submitted, before anything is bought
  const roles = named.filter((role) => !isHandoff(context.models[role]) && !isBatch(context.models[role]));
  context.emit({ type: "stage-start", step: 0, stage: "preflight", total: roles.length });
  const started = context.clock.now();
  for (const role of roles) {
    try {
      const asked =
        role === "target" && context.agent !== undefined
          ? agentCanary(context)
          : canary(context.models[role]);
      await memo(
        { ...asked, version: 1, draw: { purpose: "probe", trial: 0 } },
        { role, step: 0, stage: "preflight", once: true },
        context,
      );
    } catch (error) {
      if (!(error instanceof InfraError)) throw error;
      throw new WhetstoneError(
        "too-many-pending",
        `${context.models[role]} (${role}) does not answer: ${error.message}`,
        {
          cause: error,
          hint: "Nothing else was called. Start the same command again once the provider answers.",
        },
      );
    }
  }
  const ms = context.clock.now() - started;
  context.emit({ type: "stage-end", step: 0, stage: "preflight", total: roles.length, pending: 0, ms });
}

type Canary = Pick<Unit, "kind" | "input">;

/** Room for a reasoning model's thoughts; most answer with two tokens. */
function canary(model: string): Canary {
  const request: ModelRequest = {
    model,
    messages: [{ role: "user", content: "Reply with the word ok." }],
    maxTokens: 256,
  };
  return { kind: "generate", input: request as unknown as Json };
}

/** The whole way once: program, sandbox, key or login, model. */
function agentCanary({ agent, settings }: Context): Canary {
  const request = {
    agent: agent?.id ?? "",
    version: agent?.version ?? "",
    prompt: "Reply with the word ok. Use no tool.",
    files: {},
    skills: [],
    limits: settings.agentLimits,
  } satisfies AgentRequest;
  return { kind: "agent", input: request as unknown as Json };
}
