import type { Context, Place } from "../core/context.ts";
import { isBatch } from "../core/batch.ts";
import { InfraError, WhetstoneError } from "../core/errors.ts";
import { isHandoff } from "../core/handoff.ts";
import type { Json } from "../core/json.ts";
import { memo } from "../core/memo.ts";
import { captureRequests, requestBytes } from "../core/plan/capture-requests.ts";
import type { AgentRequest } from "../core/ports/agent.ts";
import type { ModelRequest, Reply, Role } from "../core/ports/model.ts";
import { analystError } from "../core/prompts/analyst-error.ts";
import type { Skill } from "../core/skill/skill.ts";
import { askOnce } from "../core/stages/ask-model.ts";
import { analystText } from "../core/stages/reflect.ts";
import { requestFor } from "../core/stages/rollout.ts";
import { tellUnusable } from "../core/stages/tell-unusable.ts";
import type { Scored } from "../core/tasks/outcome.ts";
import type { Splits, Task } from "../core/tasks/task.ts";
import { type Unit, unitKey } from "../core/unit.ts";
import { findReplyProblem } from "../core/unusable-reply.ts";

/** What a run is about, as far as it is known before its first call. */
export interface PreflightSample {
  readonly skill: Skill;
  readonly splits: Splits;
}

/**
 * One call per role, in turn and with one try: a dead key or a wrong name costs one call. The target is asked the longest
 * task and the optimizer what an analyst is asked; a reply that cannot be used is told and stops nothing yet.
 */
export async function preflight(
  named: readonly Role[],
  context: Context,
  sample?: PreflightSample,
): Promise<void> {
  // whoever answers by hand is asked nothing for show, and a batch may take hours: a dead key is found out when the first
  // one is submitted, before anything is bought
  const roles = named.filter((role) => !isHandoff(context.models[role]) && !isBatch(context.models[role]));
  context.emit({ type: "stage-start", step: 0, stage: "preflight", total: roles.length });
  const started = context.clock.now();
  for (const role of roles) {
    const place: Place = { role, step: 0, stage: "preflight", once: true };
    try {
      if (role === "target" && canAskTask(context, sample)) await askLongest(sample, place, context);
      else if (role === "optimizer" && sample !== undefined && sample.splits.train.length > 0)
        await askAnalyst(sample, place, context);
      else await askSmall(place, context);
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

/** An agent's rollout, or one of an environment that does more than ask, is too much for a first call. */
function canAskTask(
  { agent, environment }: Context,
  sample: PreflightSample | undefined,
): sample is PreflightSample {
  return (
    sample !== undefined &&
    Object.values(sample.splits).flat().length > 0 &&
    agent === undefined &&
    environment.throughContext === true
  );
}

/** If the longest task fits and is answered, so are the others. */
async function askLongest(sample: PreflightSample, place: Place, context: Context): Promise<void> {
  const tasks = Object.values(sample.splits).flat().toSorted(byLength);
  const [longest] = tasks as [Task];
  const [question] = await captureRequests(longest, sample.skill, context.environment, context.settings);
  if (question === undefined) return;
  const request = requestFor("target", question, context);
  // no other draw is a probe's second: the measurements stay as they are
  const unit = unitOf("generate", request, 1);
  try {
    const { key, output } = await memo(unit, place, context);
    const problem = findReplyProblem(output as unknown as Reply);
    if (problem !== undefined) tellUnusable({ key, problem }, place, context);
  } catch (error) {
    if (!(error instanceof InfraError) || error.class !== "prompt-refused") throw error;
    const key = unitKey(unit, context.settings.fresh);
    const room = roomIn(error.message) * requestBytes(question);
    const skillBytes = requestBytes(question) - sizeOf(longest);
    const ids = tasks.filter((task) => task === longest || skillBytes + sizeOf(task) > room);
    const find = { key, problem: "too-long", said: error.message, tasks: ids.map(({ id }) => id) } as const;
    tellUnusable(find, place, context);
  }
}

/** The share of the prompt that fits, where the provider names both sizes. */
function roomIn(message: string): number {
  const sizes = [...message.matchAll(/\d{3,}/g)].map(Number).toSorted((a, b) => b - a);
  const [asked, room] = [...new Set(sizes)].filter((size) => size > 400);
  return asked === undefined || room === undefined ? 1 : room / asked;
}

const sizeOf = ({ input, system = "", files = {} }: Task): number =>
  [input, system, ...Object.values(files)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

const byLength = (a: Task, b: Task): number => sizeOf(b) - sizeOf(a);

/** A whole analyst's prompt, on answers that anybody could have given. */
async function askAnalyst({ skill, splits }: PreflightSample, place: Place, context: Context): Promise<void> {
  const { minibatchSize, editBudget: budget } = context.settings;
  const attempts = splits.train.slice(0, minibatchSize).map((task) => ({
    task,
    outcome: {
      kind: "scored",
      hard: 0,
      soft: 0,
      feedback: "The answer was wrong.",
      conversation: [
        { role: "user", content: task.input },
        { role: "assistant", content: "I am not sure." },
      ],
    } satisfies Scored,
  }));
  const content = analystText("failure", attempts, { skill, budget, tried: [], meta: "" }, context);
  await askOnce(analystError, [{ role: "user", content }], place, context);
}

async function askSmall(place: Place, context: Context): Promise<void> {
  const isAgent = place.role === "target" && context.agent !== undefined;
  const unit = isAgent
    ? unitOf("agent", agentCanary(context))
    : unitOf("generate", canary(context.models[place.role]));
  const { key, output } = await memo(unit, place, context);
  const problem = isAgent ? undefined : findReplyProblem(output as unknown as Reply);
  if (problem !== undefined) tellUnusable({ key, problem }, place, context);
}

const unitOf = (kind: string, input: unknown, trial = 0): Unit => ({
  kind,
  version: 1,
  input: input as Json,
  draw: { purpose: "probe", trial },
});

/** Room for a reasoning model's thoughts; most answer with two tokens. */
const canary = (model: string): ModelRequest => ({
  model,
  messages: [{ role: "user", content: "Reply with the word ok." }],
  maxTokens: 256,
});

/** The whole way once: program, sandbox, key or login, model. */
const agentCanary = ({ agent, settings }: Context): AgentRequest => ({
  agent: agent?.id ?? "",
  version: agent?.version ?? "",
  prompt: "Reply with the word ok. Use no tool.",
  files: {},
  skills: [],
  limits: settings.agentLimits,
});
