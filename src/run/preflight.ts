import type { Context } from "../core/context.ts";
import { InfraError, WhetstoneError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { memo } from "../core/memo.ts";
import type { ModelRequest, Role } from "../core/ports/model.ts";

/** One small call per role, in turn and with one try: a dead key or a wrong name costs one call. */
export async function preflight(roles: readonly Role[], context: Context): Promise<void> {
  context.emit({ type: "stage-start", step: 0, stage: "preflight", total: roles.length });
  const started = context.clock.now();
  for (const role of roles) {
    try {
      await memo(
        {
          kind: "generate",
          version: 1,
          input: canary(context.models[role]) as unknown as Json,
          draw: { purpose: "probe", trial: 0 },
        },
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

/** Room for a reasoning model's thoughts; most answer with two tokens. */
const canary = (model: string): ModelRequest => ({
  model,
  messages: [{ role: "user", content: "Reply with the word ok." }],
  maxTokens: 256,
});
