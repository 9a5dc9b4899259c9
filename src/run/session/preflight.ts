import { generateKind } from "../../core/work/unit-kinds.ts";
import type { Context } from "../../core/context.ts";
import type { Place } from "../../core/place.ts";
import { InfraError } from "../../core/errors.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import type { Json } from "../../core/json.ts";
import { memo } from "../../core/work/memo.ts";
import { requestBytes } from "../../core/tasks/capture-requests.ts";
import type { AgentRequest } from "../../core/ports/agent.ts";
import type { ModelRequest, Role } from "../../core/ports/model.ts";
import { analystError } from "../../core/prompts/analyst-error.ts";
import { askOnce } from "../../core/stages/ask-model.ts";
import { requestBody } from "../../core/stages/request-body.ts";
import { requestFor } from "../../core/stages/rollout.ts";
import { tellUnusable } from "../../core/measure/tell-unusable.ts";
import { type Unit, unitKey } from "../../core/work/unit.ts";
import { findReplyProblem } from "../../core/unusable-reply.ts";
import { unanswered } from "../../core/unanswered.ts";
import {
  type LongestQuestion,
  type PreflightSample,
  analystQuestion,
  longestQuestion,
  sizeOf,
} from "./preflight-questions.ts";

/**
 * Makes one call per role, in turn, so that a dead key or a wrong name costs only one call. Temporary errors (rate limits,
 * server errors) are retried as usual. The target gets the longest task and the optimizer an analyst's question; an
 * unusable reply is reported, but doesn't stop the run yet.
 */
export async function preflight(
  named: readonly Role[],
  context: Context,
  sample?: PreflightSample,
): Promise<void> {
  // don't bother a person who answers by hand
  const roles = named.filter((role) => !isHandoff(context.models[role]));
  context.emit({ type: "stage-start", step: 0, stage: "preflight", total: roles.length });
  const started = context.clock.now();
  for (const role of roles) {
    const place: Place = { role, step: 0, stage: "preflight", once: true };
    try {
      const longest = canAskTask(role, context)
        ? sample && (await longestQuestion(sample, context))
        : undefined;
      const analyst = role === "optimizer" ? sample && analystQuestion(sample, context) : undefined;
      if (longest !== undefined) await askLongest(longest, place, context);
      else if (analyst !== undefined) await askOnce(analystError, analyst, place, context);
      else await askSmall(place, context);
    } catch (error) {
      if (!(error instanceof InfraError)) throw error;
      const usual = "No other calls were made. Run the same command again once the provider answers.";
      throw unanswered(context.models[role], role, error, usual);
    }
  }
  const ms = context.clock.now() - started;
  context.emit({ type: "stage-end", step: 0, stage: "preflight", total: roles.length, pending: 0, ms });
}

/** A rollout of an agent, or of an environment that does more than ask, is too much for a first call. */
const canAskTask = (role: Role, { agent, environment }: Context): boolean =>
  role === "target" && agent === undefined && environment.throughContext === true;

async function askLongest(
  { question, tasks }: LongestQuestion,
  place: Place,
  context: Context,
): Promise<void> {
  const asked = requestBytes(question);
  const [longest = 0] = tasks.map(sizeOf);
  const likelyTooLong = (said: string) =>
    tasks.flatMap((task, at) =>
      at === 0 || asked - longest + sizeOf(task) > roomIn(said) * asked ? [task.id] : [],
    );
  // a draw of its own, so that the measurements aren't affected
  const unit = unitOf("generate", requestFor("target", question, context), 1);
  await askUnit(unit, place, context, likelyTooLong);
}

/** Makes one call, and reports an unusable reply. */
async function askUnit(
  unit: Unit,
  place: Place,
  context: Context,
  /** Ids of tasks that are likely too long, by the provider's message. */
  likelyTooLong?: (said: string) => readonly string[],
): Promise<void> {
  try {
    const { key, output } = await memo(unit, place, context);
    const problem = unit.kind === "generate" ? findReplyProblem(generateKind.readOutput(output)) : undefined;
    if (problem !== undefined) tellUnusable({ key, problem }, place, context);
  } catch (error) {
    if (!(error instanceof InfraError) || error.class !== "prompt-refused") throw error;
    const said = error.message;
    const tasks = likelyTooLong === undefined ? {} : { tasks: likelyTooLong(said) };
    const key = unitKey(unit, context.settings.fresh);
    tellUnusable({ key, problem: "too-long", said, ...tasks }, place, context);
  }
}

/** The share of the prompt that fits, if the provider names both sizes. */
function roomIn(message: string): number {
  const sizes = new Set([...message.matchAll(/\d{4,}/g)].map(Number));
  const [asked, room] = [...sizes].toSorted((a, b) => b - a);
  return asked === undefined || room === undefined ? 1 : room / asked;
}

async function askSmall(place: Place, context: Context): Promise<void> {
  const isAgent = place.role === "target" && context.agent !== undefined;
  const unit = isAgent
    ? unitOf("agent", agentCanary(context))
    : unitOf("generate", { ...canary(context.models[place.role]), ...requestBody(place.role, context) });
  await askUnit(unit, place, context);
}

const unitOf = (kind: string, input: unknown, trial = 0): Unit => ({
  kind,
  version: 1,
  input: input as Json,
  draw: { purpose: "probe", trial },
});

/** Leaves room for a reasoning model's thoughts; most models answer with two tokens. */
const canary = (model: string): ModelRequest => ({
  model,
  messages: [{ role: "user", content: "Reply with the word ok." }],
  maxTokens: 256,
});

/** Tries the whole chain once: program, sandbox, key or login, model. */
const agentCanary = ({ agent, settings }: Context): AgentRequest => ({
  agent: agent?.id ?? "",
  version: agent?.version ?? "",
  prompt: "Reply with the word ok. Use no tool.",
  files: {},
  skills: [],
  limits: settings.agentLimits,
});
