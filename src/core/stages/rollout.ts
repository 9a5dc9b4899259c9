import { type Unit, type Draw, unitKey } from "../work/unit.ts";
import { type UnitKind, agentKind, commandKind, environmentKind, generateKind } from "../work/unit-kinds.ts";
import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { InfraError, WhetstoneError } from "../errors.ts";
import { type Memoized, memo } from "../work/memo.ts";
import { memoReply } from "../work/memo-reply.ts";
import type { AgentRequest } from "../ports/agent.ts";
import type { Executor } from "../ports/executor.ts";
import type { ModelRequest, Reply, Role } from "../ports/model.ts";
import type { JsonObject } from "../json.ts";
import { repairTries } from "./ask-model.ts";
import { requestBody } from "./request-body.ts";
import type { JudgeRequest } from "../scorers/performance.ts";
import { scoreTask } from "../scorers/score-task.ts";
import { canonicalJson, writeOnce } from "../canonical.ts";
import type { Skill } from "../skill/skill.ts";
import type { EnvironmentContext, Question } from "../tasks/environment.ts";
import {
  type Outcome,
  type Pending,
  type Scored,
  isLeftOut,
  isTooLong,
  withinLimits,
} from "../tasks/outcome.ts";
import type { SplitName, Task } from "../tasks/task.ts";
import { reword } from "../tasks/wordings.ts";
import { tellUnusable } from "../measure/tell-unusable.ts";
import { isHandoff } from "../work/handoff.ts";
import { type UsedCall, sumUsed } from "../used.ts";
import {
  type ReplyProblem,
  findReplyProblem,
  findRunProblem,
  hasFailed,
  hasRunFailed,
  replyClass,
  withoutThoughts,
} from "../unusable-reply.ts";

/** A task with the skill's outcome. */
export interface Rolled {
  readonly task: Task;
  readonly outcome: Scored | Pending;
  /** Numbers of the rules in the text, if a search measures them. */
  readonly rules?: readonly number[];
}

export interface RolloutPlan {
  readonly split: SplitName;
  readonly draw: Draw;
  readonly place: Place;
  /** The neutral wording that frames the task: an index into `wordings`. @default 0, the task as it is */
  readonly wording?: number;
}

/**
 * Rolls the skill out on all tasks at once. Returns one promise per task, in the tasks' order. A task whose call used
 * up its tries is tried once more after all the others.
 */
export function rollout(
  skill: Skill,
  tasks: readonly Task[],
  plan: RolloutPlan,
  context: Context,
): readonly Promise<Rolled>[] {
  return rollAll(tasks.map((task) => ({ task, skill, plan, context })));
}

/** One of several rollouts, with its own plan. */
export interface Roll {
  readonly task: Task;
  readonly skill: Skill;
  readonly plan: RolloutPlan;
  readonly context: Context;
}

/** The same for rollouts of several skills: they start in this order. */
export function rollAll(rolls: readonly Roll[]): readonly Promise<Rolled>[] {
  const first = rolls.map(rollOne);
  const all = Promise.allSettled(first);
  const rolled = first.map(async (promise, index): Promise<Rolled> => {
    const once = await promise;
    if (once.outcome.kind !== "pending" || isTooLong(once.outcome) || isLeftOut(once.outcome)) return once;
    await all;
    return rollOne(rolls[index] as Roll);
  });
  // the caller reads them in order; until then, a later failure mustn't count as unhandled
  for (const promise of rolled) promise.catch(() => {});
  return rolled;
}

async function rollOne({ task, skill, plan, context }: Roll): Promise<Rolled> {
  const drawn = context.rehearsal?.roll(task, skill, plan);
  if (drawn !== undefined) return { task, outcome: await drawn };
  const asking = context.leftOut?.has(task.id) === true ? { ...context, executor: nobody } : context;
  try {
    const outcome = await runEnvironment(task, skill, plan, asking);
    if (outcome.kind === "invalid") throw invalidTask(task, outcome.reason);
    return { task, outcome };
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    const { class: kind, message, hint } = error;
    const next = hint === undefined ? {} : { next: hint };
    return { task, outcome: { kind: "pending", cause: { class: kind, message, ...next } } };
  }
}

/** For a task that was left out: only the journal answers. */
const nobody: Executor = {
  async execute() {
    throw new InfraError("left-out", "The task was left out.");
  },
};

function runEnvironment(given: Task, skill: Skill, plan: RolloutPlan, context: Context): Promise<Outcome> {
  const { environment } = context;
  const { wording = 0 } = plan;
  const task = wording === 0 ? given : { ...given, input: reword(given.input, wording) };
  if (environment.throughContext === true) {
    return runInContext(task, skill, plan, context);
  }
  const input = {
    environment: environment.name,
    version: environment.version,
    model: context.models.target,
    maxTokens: context.settings.targetMaxTokens,
    ...requestBody("target", context),
    extras: context.settings.extras,
    split: plan.split,
    seed: context.settings.seed,
    draw: { ...plan.draw },
    task,
    skill: writeOnce(skill),
  };
  return memo(environmentKind.unit(input, plan.draw), plan.place, context).then(({ output }) =>
    environmentKind.readOutput(output),
  );
}

/** Runs the environment on one task. Records the target's usage, and whether its last reply was an answer. */
export async function runInContext(
  task: Task,
  skill: Skill,
  plan: RolloutPlan,
  context: Context,
): Promise<Outcome> {
  let last: ReplyProblem | undefined;
  const calls: UsedCall[] = [];
  const hosts = new Set<string>();
  const seen = environmentContext(plan, context, (call, problem, role) => {
    if (call.output.host !== undefined) hosts.add(call.output.host);
    if (role !== "target") return;
    calls.push(call);
    last = problem;
  });
  const came = await context.environment.run(task, skill, seen);
  const outcome = context.rehearsal === undefined ? came : context.rehearsal.settle(came);
  if (outcome.kind !== "scored") return outcome;
  const scored: Scored = {
    ...outcome,
    ...(last === undefined ? {} : { reply: replyClass(last) }),
    ...(hosts.size === 0 ? {} : { hosts: [...hosts].toSorted() }),
    ...(calls.length === 0 || context.rehearsal !== undefined
      ? {}
      : { used: sumUsed(calls, { isTimed: !isHandoff(context.models.target) }) }),
  };
  return task.limits === undefined ? scored : withinLimits(scored, task.limits);
}

interface CallLook<Output> {
  /** Finds a problem with a reply, to be reported. */
  readonly findProblem?: (output: Output) => ReplyProblem | undefined;
  /**
   * Whether the provider itself failed: only then is it asked again, and the last reply counts.
   * @default any problem, also in later starts
   */
  readonly hasFailed?: ((output: Output) => boolean) | undefined;
  /** @default 1 */
  readonly tries?: number;
}

/** A question without a repair is asked as often as one with it. */
const allTries = 1 + repairTries;

/** An environment's view: the world behind the journal. Each of several equal calls in one rollout is a draw of its own. */
export function environmentContext(
  plan: RolloutPlan,
  context: Context,
  /** Called for each call of the target and of a judge, with the problem of its reply. */
  onCall: (call: UsedCall, problem: ReplyProblem | undefined, role: Role) => void,
): EnvironmentContext {
  const { settings, agent } = context;
  const earlier: Unit[] = [];
  async function call<Input, Output>(
    kind: UnitKind<Input, Output>,
    input: Input,
    place: Place,
    { findProblem = () => undefined, hasFailed, tries = 1 }: CallLook<Output> = {},
  ): Promise<Output> {
    const first = kind.unit(input, plan.draw);
    // most rollouts make one call
    const isSame = (one: Unit) =>
      one.kind === first.kind && canonicalJson(one.input) === canonicalJson(first.input);
    const again = earlier.filter(isSame).length;
    earlier.push(first);
    const unit = again === 0 ? first : { ...first, draw: { ...plan.draw, call: again } };
    const isUsable = ({ key, output }: Memoized): boolean => {
      const came = kind.readOutput(output);
      const problem = findProblem(came);
      if (problem !== undefined) tellUnusable({ key, problem }, place, context);
      return hasFailed === undefined ? problem === undefined : !hasFailed(came);
    };
    try {
      const isFinal = hasFailed !== undefined;
      const memoized = await memoReply(unit, place, context, { isUsable, tries, isFinal });
      const { cost, ms } = memoized;
      const output = kind.readOutput(memoized.output);
      if (unit.kind !== "command")
        onCall({ output: output as UsedCall["output"], cost, ms }, findProblem(output), place.role);
      return output;
    } catch (error) {
      if (error instanceof InfraError && error.class === "prompt-refused") {
        const key = unitKey(unit, settings.fresh);
        tellUnusable({ key, problem: "too-long", said: error.message }, place, context);
      }
      throw error;
    }
  }
  const ask = async (
    role: "target" | "judge",
    question: Question,
    { isParsable = () => true, isRepair, format }: Omit<JudgeRequest, "system" | "prompt"> = {},
    tries = isRepair === true ? repairTries : 1,
  ): Promise<Reply> => {
    const reply = await call(
      generateKind,
      requestFor(role, question, context, format),
      { ...plan.place, role },
      {
        findProblem: (came) => findReplyProblem(came) ?? (isParsable(came) ? undefined : "unparsable"),
        // a result that the skill caused stays, however odd it is
        hasFailed: role === "target" ? hasFailed : undefined,
        tries,
      },
    );
    // the journal keeps the whole reply
    return { ...reply, text: withoutThoughts(reply.text) };
  };
  const judge = { generate: (question: Question) => ask("judge", question, {}, allTries) };
  const command: EnvironmentContext["command"] = (request) => call(commandKind, request, plan.place);
  return {
    split: plan.split,
    seed: settings.seed,
    trial: plan.draw.trial,
    extras: settings.extras,
    signal: context.signal,
    model: { generate: (question) => ask("target", question, {}, allTries) },
    ...(agent === undefined
      ? {}
      : {
          agent: {
            async run(task) {
              const named = { ...task, agent: agent.id, version: agent.version };
              const request: AgentRequest = { ...named, limits: settings.agentLimits };
              const look = { findProblem: findRunProblem, hasFailed: hasRunFailed, tries: allTries };
              const run = await call(agentKind, request, plan.place, look);
              if (run.removed !== undefined)
                context.emit({ type: "request-trimmed", agent: agent.id, removed: run.removed });
              return { ...run, text: withoutThoughts(run.text) };
            },
          },
        }),
    judge,
    command,
    score: (task, performance) =>
      (context.rehearsal?.score ?? scoreTask)(task, performance, {
        judge: ({ system, prompt, ...how }) =>
          ask("judge", { system, messages: [{ role: "user", content: prompt }] }, how),
        command,
        custom: context.customScorers,
        aside: context.scoreAside,
      }),
  };
}

/** The call for a question of an environment. */
export function requestFor(
  role: "target" | "judge",
  { system, messages }: Question,
  context: Pick<Context, "models" | "settings" | "takesBody">,
  format?: JsonObject,
): ModelRequest {
  const { models, settings } = context;
  const isTarget = role === "target";
  return {
    model: models[role],
    system,
    messages,
    maxTokens: isTarget ? settings.targetMaxTokens : settings.optimizerMaxTokens,
    ...(settings.temperature === undefined || !isTarget ? {} : { temperature: settings.temperature }),
    ...requestBody(role, context, format),
  };
}

export function invalidTask(task: Task, reason: string): WhetstoneError {
  return new WhetstoneError("tasks-invalid", `Task ${task.id} can't be scored: ${reason}`, {
    hint: "Fix the task or its check, then run the same command again.",
  });
}
