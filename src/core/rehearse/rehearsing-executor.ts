import type { Context, Rehearsing } from "../context.ts";
import { type Cost, addCost, noCost } from "../cost.ts";
import type { Json } from "../json.ts";
import type { Place, Stage } from "../place.ts";
import type { AgentRequest, AgentRun } from "../ports/agent.ts";
import type { CommandRun } from "../ports/command.ts";
import type { Dispatch, Executor } from "../ports/executor.ts";
import { type ModelRequest, type Reply, type Role, type Usage, nearCalls } from "../ports/model.ts";
import { type UsualFinds, drawnRight, drawnWrong, ruleNames } from "../prompts/prompt.ts";
import { seededRandom } from "../random.ts";
import type { AnswerScore } from "../scorers/performance.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { requestFor } from "../stages/rollout.ts";
import { requestBytes } from "../tasks/capture-requests.ts";
import { plainQuestion, skillText } from "../tasks/chat-environment.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";
import { byteLength, bytesPerToken } from "../work/estimate-tokens.ts";
import { type Price, costOf, worstCase } from "../work/price.ts";
import { contractOf } from "./contracts.ts";
import type { Imagined } from "./imagine.ts";
import type { PaceClock } from "./pace.ts";
import type { RehearsalJournal } from "./rehearsal-journal.ts";
import type { AtATime, SimulatedTime } from "./simulated-time.ts";

export interface RehearsingOptions extends Pick<Context, "models" | "settings" | "takesBody" | "leftOut"> {
  readonly seed: string;
  readonly prices: Readonly<Record<Role, Price>>;
  readonly concurrency: number | "auto";
  /** Models on this machine, which a few calls at a time keep busy. */
  readonly near: ReadonlySet<string>;
  /** How many calls at a time keep a model's server busy, if that was measured. */
  readonly slots?: ReadonlyMap<string, number> | undefined;
  /** Whether costs reserved before calls matter. */
  readonly isCapped: boolean;
  /** How many agent rollouts this machine can run at a time. */
  readonly agentsAtATime: number;
  /** Model calls in one rollout of an environment that is its own unit. */
  readonly callsPerRollout: number;
  readonly finds: UsualFinds;
  readonly good: readonly string[];
  /** Whether a rollout of the task is one question that is scored without a judge or a grader. */
  readonly isPlain: (task: Task) => boolean;
  readonly imagined: Imagined;
  readonly journal: RehearsalJournal;
  readonly time: SimulatedTime;
  readonly pace: PaceClock;
}

/** The totals of everything drawn instead of bought. */
export interface Booked {
  readonly stages: ReadonlyMap<string, BookedStage>;
  readonly total: Cost;
  /** The smallest cap that would have let every call so far through. */
  readonly needed: Cost;
  readonly rollouts: number;
}

export interface BookedStage {
  readonly stage: Stage;
  readonly role: Role;
  readonly cost: Cost;
}

interface Drawn {
  readonly output: Json;
  readonly cost: Cost;
  /** The cost reserved before the call. @default its cost */
  readonly worst?: Cost;
  readonly ms: number;
  readonly lane: string;
  readonly atATime: AtATime;
}

/** Draws results instead of buying them, and books their cost and time. */
export interface RehearsingExecutor extends Executor, Pick<Rehearsing, "roll"> {
  booked(): Booked;
}

export function rehearsingExecutor(options: RehearsingOptions): RehearsingExecutor {
  const stages = new Map<string, BookedStage>();
  let [total, needed, rollouts] = [noCost, noCost, 0];

  function book({ role, stage }: Place, { cost, worst = cost }: Drawn): void {
    const before = stages.get(`${stage} ${role}`)?.cost ?? noCost;
    stages.set(`${stage} ${role}`, { stage, role, cost: addCost(before, cost) });
    const reserved = addCost(total, worst);
    needed = {
      nanoUsd: Math.max(needed.nanoUsd, reserved.nanoUsd),
      tokens: Math.max(needed.tokens, reserved.tokens),
      calls: Math.max(needed.calls, reserved.calls),
    };
    total = addCost(total, cost);
    if (role === "target" && stage !== "preflight") rollouts += 1;
  }

  /** Takes the call's simulated time, then books it as this many results. */
  async function pass(place: Place, drawn: Drawn, count: number): Promise<void> {
    await options.time.occupy(drawn.lane, drawn.atATime, drawn.ms);
    if (count === 0) return;
    book(place, drawn);
    const { role, stage } = place;
    options.pace.add({ role, stage, at: options.time.now(), ms: drawn.ms, count });
  }

  const texts = new Map<string, number>();
  const rolled = new Map<string, Promise<Scored>>();
  async function ask(task: Task, skill: Skill, place: Place, name: string): Promise<Scored> {
    const question = plainQuestion(task, skillText(skill));
    const random = seededRandom(options.seed, name);
    const drawn = drawReply(requestFor("target", question, options), place, random, options);
    await pass(place, drawn, 1);
    const { text } = drawn.output as unknown as Reply;
    const conversation = [...question.messages, { role: "assistant", content: text } as const];
    return { kind: "scored", ...drawnScore(text, task), conversation };
  }

  return {
    async execute({ unit, key, place }) {
      const drawn = draw({ unit, key, place }, options);
      // an environment's own calls are made one by one
      const calls = unit.kind === "environment" ? Math.max(drawn.cost.calls, 1) : 1;
      await pass(place, drawn, unit.kind === "command" ? 0 : calls);
      options.journal.keep(key, drawn.output, drawn.cost);
      return { output: drawn.output, cost: drawn.cost, ms: drawn.ms, tries: 1 };
    },
    roll(task, skill, { draw: { purpose, trial, claim = "" }, place, wording }) {
      const text = mainText(skill);
      const isPlain =
        options.isPlain(task) && wording === undefined && options.leftOut?.has(task.id) !== true;
      // a text without drawn rules may have results in the journal
      if (!isPlain || (options.journal.knows && ruleNames(text).length === 0)) return undefined;
      const number = texts.get(text) ?? texts.size;
      texts.set(text, number);
      const name = `${number} ${purpose} ${trial} ${claim} ${task.id}`;
      const known = rolled.get(name) ?? ask(task, skill, place, name);
      rolled.set(name, known);
      return known;
    },
    booked: () => ({ stages, total, needed, rollouts }),
  };
}

function draw(
  { unit, key, place }: Pick<Dispatch, "unit" | "key" | "place">,
  options: RehearsingOptions,
): Drawn {
  const random = seededRandom(options.seed, key);
  if (unit.kind === "command") return drawCommand(random);
  if (unit.kind === "agent") return drawAgent(unit.input as unknown as AgentRequest, place, random, options);
  if (unit.kind === "environment") return drawEnvironment(unit.input, place, random, options);
  return drawReply(unit.input as unknown as ModelRequest, place, random, options);
}

function drawReply(
  request: ModelRequest,
  { role, stage }: Place,
  random: () => number,
  options: RehearsingOptions,
): Drawn {
  const { imagined, models, prices, isCapped } = options;
  const { system = "", messages } = request;
  const user = messages.at(-1)?.content ?? "";
  const contract = contractOf(system);
  const isSignOfLife = contract === undefined && (stage === "preflight" || role !== "target");
  const text =
    contract === undefined
      ? "ok"
      : JSON.stringify(contract.sample({ ...options, isSaid: imagined.isSaid, random, user }));
  const isAnswer = contract === undefined && !isSignOfLife;
  const call = { role, stage, bytes: requestBytes(request), text: isAnswer ? undefined : text };
  const usage = imagined.usage(call, random);
  const output: Reply = {
    text: isAnswer ? drawAnswer(system, user, usage.outputTokens, random, options) : text,
    finish: "stop",
    usage,
  };
  return {
    output: output as unknown as Json,
    cost: costFor(usage, 1, prices[role]),
    worst: isCapped ? worstCase(request, prices[role]) : undefined,
    ms: imagined.duration(call, usage, random),
    lane: models[role],
    atATime: callsAtATime(models[role], options),
  };
}

function callsAtATime(model: string, { concurrency, near, slots }: RehearsingOptions): AtATime {
  const climbsTo = slots?.get(model);
  if (concurrency !== "auto") return Math.min(concurrency, climbsTo ?? concurrency);
  if (climbsTo !== undefined) return { climbsTo };
  return near.has(model) ? nearCalls : "auto";
}

/** Draws an answer whose first character says whether it's right. */
function drawAnswer(
  help: string,
  question: string,
  tokens: number,
  random: () => number,
  { imagined }: RehearsingOptions,
): string {
  const isRight = imagined.solves(help, question, random);
  const words = imagined.wording(question, isRight, random);
  return `${isRight ? drawnRight : drawnWrong}${words}`.padEnd(tokens * bytesPerToken, " x");
}

function drawAgent(
  request: AgentRequest,
  { stage }: Place,
  random: () => number,
  options: RehearsingOptions,
): Drawn {
  const { imagined, prices, concurrency, agentsAtATime } = options;
  const { prompt, instructions = "", skills } = request;
  const help = [instructions, ...skills.flatMap(({ files }) => Object.values(files))].join("\n");
  const whole = imagined.rollout(random);
  const share = stage === "preflight" ? 1 / whole.calls : 1;
  const usage: Usage = {
    inputTokens: Math.round(share * whole.inputTokens),
    outputTokens: Math.round(share * whole.outputTokens),
    cachedInputTokens: Math.round(share * (whole.cachedInputTokens ?? 0)),
  };
  const text = drawAnswer(help, prompt, 40, random, options);
  const run: AgentRun = {
    text,
    ended: "done",
    toolCalls: [],
    changed: {},
    skills: { offered: [], loaded: skills.map(({ name }) => name) },
    conversation: [
      { role: "user", content: prompt },
      { role: "assistant", content: "x ".repeat(usage.outputTokens) },
      { role: "assistant", content: text },
    ],
    usage,
    calls: Math.round(share * whole.calls),
  };
  return {
    output: run as unknown as Json,
    cost: costFor(usage, run.calls, prices.target),
    ms: share * whole.ms,
    lane: request.agent,
    atATime: Math.min(concurrency === "auto" ? Number.POSITIVE_INFINITY : concurrency, agentsAtATime),
  };
}

/** We can't know the calls of a custom environment, so plain questions represent them. */
function drawEnvironment(
  input: Json,
  { role, stage }: Place,
  random: () => number,
  options: RehearsingOptions,
): Drawn {
  const { imagined, models, prices, callsPerRollout } = options;
  const { task, skill } = input as unknown as { readonly task: Task; readonly skill: Skill };
  const help = mainText(skill);
  const call = { role, stage, bytes: byteLength(help) + byteLength(task.input) };
  const one = imagined.usage(call, random);
  const calls = Math.round(callsPerRollout);
  const usage = {
    inputTokens: Math.round(callsPerRollout * one.inputTokens),
    outputTokens: Math.round(callsPerRollout * one.outputTokens),
    cachedInputTokens: Math.round(callsPerRollout * (one.cachedInputTokens ?? 0)),
  };
  const answer = drawAnswer(help, task.input, one.outputTokens, random, options);
  const outcome: Scored = {
    ...drawnScore(answer, task),
    kind: "scored",
    conversation: [
      { role: "user", content: task.input },
      { role: "assistant", content: answer },
    ],
  };
  return {
    output: outcome as unknown as Json,
    cost: costFor(usage, calls, prices[role]),
    ms: Math.max(callsPerRollout, 1) * imagined.duration(call, one, random),
    lane: models[role],
    atATime: callsAtATime(models[role], options),
  };
}

/** Draws a grader's success; its output doesn't matter. */
function drawCommand(random: () => number): Drawn {
  const run: CommandRun = { exitCode: 0, stdout: "", stderr: "", ended: "exit" };
  return {
    output: run as unknown as Json,
    cost: noCost,
    ms: 2000 + 6000 * random(),
    lane: "commands",
    atATime: 4,
  };
}

/** The score that a drawn answer carries, with feedback of the usual length. */
export function drawnScore(answer: string, { answers, checks = [] }: Task): AnswerScore {
  const hard = answer.startsWith(drawnRight) ? 1 : 0;
  const wanted = JSON.stringify(answers?.[0] ?? checks.map(({ value }) => value)).slice(0, 400);
  const feedback = hard === 1 ? "All checks passed." : `Expected ${wanted}; got ${answer.slice(0, 200)}.`;
  return { hard, soft: hard, feedback };
}

export const isDrawn = (answer: string): boolean =>
  answer.startsWith(drawnRight) || answer.startsWith(drawnWrong);

const costFor = (usage: Usage, calls: number, price: Price): Cost => ({
  nanoUsd: costOf(usage, price),
  tokens: usage.inputTokens + usage.outputTokens,
  calls,
});
