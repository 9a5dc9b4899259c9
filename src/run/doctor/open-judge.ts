import { randomUUID } from "node:crypto";
import { readEnv } from "../../config/env.ts";
import { agentNameOf } from "../../config/resolve/agent-name.ts";
import type { AgentOpener } from "../../config/resolve/resolve-agents.ts";
import { modelId, modelSettings, openModel } from "../../config/resolve/resolve-model.ts";
import { chooseModels } from "../../config/resolve/resolve-models.ts";
import { withUsualVariables } from "../../config/resolve/usual-variables.ts";
import type { Config } from "../../config/schema.ts";
import type { Judge } from "../../core/judge/ask-judge.ts";

export interface OpenJudge {
  readonly id: string;
  readonly ask: Judge;
}

/** The judge itself, without the journal: asking the same question again must give a new answer. */
export async function openJudge(
  written: Config,
  opener: AgentOpener,
  signal: AbortSignal,
): Promise<OpenJudge> {
  const env = readEnv();
  const { judge } = chooseModels(written, { env }, []);
  const id = modelId(judge);
  const config = withUsualVariables(written, [id], env);
  const isAgent = typeof judge === "string" && agentNameOf(id, config) !== undefined;
  const model = isAgent ? await opener.model(id) : await openModel(judge, modelSettings(id, config, env));
  const maxTokens = config.optimizerMaxTokens ?? 16_384;
  return {
    id,
    ask: ({ system, prompt }) =>
      model.generate(
        { model: id, system, messages: [{ role: "user", content: prompt }], maxTokens },
        { key: `doctor-${randomUUID()}`, signal },
      ),
  };
}
