import { allTasks } from "../../core/tasks/few-tasks.ts";
import { labelModel } from "../../core/describe-models.ts";
import { createPaces } from "../../adapters/executors/pace.ts";
import { agentClis } from "../../adapters/agents/agents.ts";
import { findCli } from "../../adapters/agents/find-cli.ts";
import { priceOf } from "../../adapters/models/prices.ts";
import { chooseSandbox } from "../../adapters/sandboxes/choose-sandbox.ts";
import { sayLimits } from "../../adapters/sandboxes/say-limits.ts";
import { readEnv } from "../../config/env.ts";
import { readCalibration } from "../../config/files/read-calibration.ts";
import { isOnThisMachine, priceThere } from "../../config/resolve/model-place.ts";
import { agentNameOf } from "../../config/resolve/agent-name.ts";
import { type AgentOpener, agentOpener, connectAgent } from "../../config/resolve/resolve-agents.ts";
import {
  type ModelChoice,
  handoffFolder,
  modelId,
  modelSettings,
  openModel,
} from "../../config/resolve/resolve-model.ts";
import { withUsualVariables } from "../../config/resolve/usual-variables.ts";
import { foreignHost } from "../../config/trust/find-destinations.ts";
import { chooseModels, refuseMistyped, takesBody } from "../../config/resolve/resolve-models.ts";
import { resolveSettings } from "../../config/resolve/resolve.ts";
import { type Config, defaultSpend } from "../../config/schema.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import { InfraError } from "../../core/errors.ts";
import { type ProbeKind, planProbes } from "../../core/judge/probes.ts";
import type { AgentRequest, Meter } from "../../core/ports/agent.ts";
import type { Model, ModelRequest, Role } from "../../core/ports/model.ts";
import type { Price } from "../../core/work/price.ts";
import { analystError } from "../../core/prompts/analyst-error.ts";
import { labelFields } from "../../core/describe-models.ts";
import { contractIn } from "../../core/prompts/plain-lines.ts";
import { requestBody } from "../../core/stages/request-body.ts";
import { requestFor } from "../../core/stages/rollout.ts";
import { responseFormat } from "../../core/prompts/response-format.ts";
import { systemText } from "../../core/prompts/prompt.ts";
import { usesBox, usesJudge } from "../../core/scorers/uses-kind.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { parseReply } from "../../core/prompts/parse-reply.ts";
import { chatEnvironment } from "../../core/tasks/chat-environment.ts";
import type { Splits, Task } from "../../core/tasks/task.ts";
import { readDescription } from "../../core/triggers/description.ts";
import { type ExplainedReply, explainReply, findReplyProblem } from "../../core/unusable-reply.ts";
import { isCappedOtherwise } from "../../core/settings.ts";
import { type Finding, failedCall, failure, look } from "./finding.ts";
import { keepReplies } from "../session/timed-replies.ts";
import { analystQuestion, longestQuestion } from "../session/preflight-questions.ts";

export interface RolesOptions {
  /** Makes one call per role, as a run does first. */
  readonly call: boolean;
  readonly signal: AbortSignal;
  /** The project's journal; call times are kept for its plans. */
  readonly journalDir: string;
  /** Called before something that may take a while. */
  readonly onWait?: ((what: string) => void) | undefined;
  /** The skill, if it could be read. */
  readonly skill?: Skill;
  readonly splits: Splits;
}

/** Checks the sandbox around agents and graders, then each role's program or key, login and price. */
export async function* diagnoseRoles(written: Config, options: RolesOptions): AsyncGenerator<Finding> {
  const env = readEnv();
  const { skill } = options;
  const tasks = allTasks(options.splits);
  const isJudged = usesJudge(tasks);
  let choices: ReturnType<typeof chooseModels>;
  let config: Config;
  try {
    choices = chooseModels(written, { env }, []);
    config = withUsualVariables(written, Object.values(choices).map(modelId), env);
  } catch (error) {
    yield failure("models", error);
    return;
  }
  const roles: readonly Role[] = ["target", "optimizer", ...(isJudged ? (["judge"] as const) : [])];
  const isAgent = (role: Role) => agentNameOf(modelId(choices[role]), config) !== undefined;
  if (roles.some(isAgent) || usesBox(tasks)) yield await checkSandbox(config);
  if (isAgent("target") && skill?.main === "SKILL.md") {
    const found = await look("skill", async () => readDescription(skill));
    if (found.status !== "ok") yield found;
  }
  const seen = new Set<string>();
  for (const role of roles) {
    const id = modelId(choices[role]);
    const isAsAbove = seen.has(id);
    seen.add(id);
    // an agent gets the same checks with and without its tools
    if (isAsAbove && (isAgent(role) || !options.call))
      yield { about: role, status: "ok", text: `${id}, as above` };
    else if (isAgent(role)) yield* checkAgent(role, id, config, options);
    else yield* checkModel(role, choices[role], config, { ...options, isAsAbove });
  }
  if (isJudged) yield await checkCalibration(config, tasks);
}

async function checkSandbox({ sandbox = "auto" }: Config): Promise<Finding> {
  if (sandbox === "none")
    return {
      about: "sandbox",
      status: "warn",
      text: "none: agents and graders can read, change and send whatever you can",
      next: "Leave out --sandbox to run them in a sandbox.",
    };
  return look("sandbox", async () => {
    const chosen = await chooseSandbox(sandbox, { env: readEnv() });
    const mark = chosen.name === "bubblewrap" ? "" : " (experimental)";
    return `${chosen.name}${mark} works here; ${await sayLimits(chosen)}`;
  });
}

async function* checkModel(
  role: Role,
  choice: ModelChoice,
  config: Config,
  /** `isAsAbove`: another role has the same model, and another prompt. */
  options: RolesOptions & { readonly isAsAbove: boolean },
): AsyncGenerator<Finding> {
  const id = modelId(choice);
  let problem: ExplainedReply | undefined;
  try {
    if (typeof choice === "string") refuseMistyped(id, config);
    const host = typeof choice === "string" ? foreignHost(id, config) : undefined;
    const said = options.isAsAbove
      ? `${id}, as above`
      : `${describeKey(id, choice)}${host === undefined ? "" : `, at ${host}`}`;
    if (isHandoff(id)) {
      yield {
        about: role,
        status: "ok",
        text: `${id}: you answer, in ${handoffFolder(config, process.cwd())}`,
      };
    } else {
      const model = await openModel(choice, modelSettings(id, config, readEnv()));
      if (options.call) options.onWait?.(`${id} as ${role}`);
      const answered = options.call ? await callAsPlanned(role, model, choice, config, options) : undefined;
      problem = answered?.problem;
      const label = labelModel(id, host === undefined ? {} : { [id]: host });
      if (answered?.outputTokens !== undefined) {
        const { ms, outputTokens } = answered;
        const { journalDir } = options;
        await keepReplies([
          { model: label, role, journal: journalDir, replies: 1, ms, ownMs: ms, outputTokens },
        ]);
      }
      const time = answered === undefined ? "" : `, answered in ${answered.ms} ms`;
      yield { about: role, status: "ok", text: `${said}${labelFields(config.extraBody?.[role])}${time}` };
      const isHere = typeof choice === "string" && isOnThisMachine(id, config);
      if (options.call && isHere && !options.isAsAbove) {
        options.onWait?.(`${id}, several calls at once`);
        const slots = await countSlots(model, options.signal).catch(() => undefined);
        if (slots !== undefined) {
          await keepReplies([], { [label]: slots });
          const text =
            slots === 1 ? "handles one call at a time" : `handles at least ${slots} calls at a time`;
          yield { about: `${role} server`, status: "ok", text };
        }
      }
    }
  } catch (error) {
    if (options.signal.aborted) return;
    yield failedCall(role, id, error);
  }
  if (problem !== undefined)
    yield {
      about: `${role} reply`,
      status: "warn",
      text: `${problem.reply}: ${problem.message}`,
      next: problem.next,
    };
  if (options.isAsAbove) return;
  const price = typeof choice === "string" ? priceThere(id, config) : priceOf(id, config.prices);
  yield checkPrice(role, id, price, config);
}

async function* checkAgent(
  role: Role,
  id: string,
  config: Config,
  options: RolesOptions,
): AsyncGenerator<Finding> {
  const env = readEnv();
  const opener = agentOpener(config, env);
  const isLogin = await opener.isLogin(id).catch(() => false);
  try {
    const program = await findProgram(role, id, config);
    const answered = options.call ? `, answered in ${await callAgent(role, id, opener, options)} ms` : "";
    const host = foreignHost(id, config);
    const place = host === undefined ? "" : `, model at ${host}`;
    yield { about: role, status: "ok", text: `${id}: ${program}${place}${answered}` };
  } catch (error) {
    if (options.signal.aborted) return;
    yield failedCall(role, id, error);
  }
  if (agentClis.has(agentNameOf(id, config) ?? "")) yield await checkCredentials(role, id, config);
  if (isLogin) {
    yield checkLoginCap(role, config);
    return;
  }
  const price = config.prices?.[id] ?? (await opener.price(id).catch(() => undefined));
  yield checkPrice(role, id, price, config);
}

/** Looks without a sandbox, which has a line of its own. */
async function findProgram(role: Role, id: string, config: Config): Promise<string> {
  const env = readEnv();
  const name = agentNameOf(id, config) ?? "";
  const cli = agentClis.get(name);
  if (cli !== undefined) {
    const { program, version } = await findCli(cli, config.agents?.[name] ?? {}, env);
    return `version ${version} at ${program}`;
  }
  const opener = agentOpener({ ...config, sandbox: "none" }, env);
  // an agent that can only be the target says so
  if (role !== "target") await opener.model(id);
  await opener.agent(id);
  return "program found";
}

async function checkCredentials(role: Role, id: string, config: Config): Promise<Finding> {
  const about = `${role} login`;
  try {
    const upstream = await connectAgent(id, config, readEnv());
    if (upstream?.pays === "key") return { about, status: "ok", text: "an API key pays" };
    if (upstream?.pays !== "login") return { about, status: "ok", text: "its server needs no key" };
    const expiresAt = await upstream.expiresAt?.();
    if (expiresAt === undefined || expiresAt > Date.now())
      return { about, status: "ok", text: "logged in, and the login pays" };
    const login = agentClis.get(agentNameOf(id, config) ?? "")?.login ?? "";
    return {
      about,
      status: "warn",
      text: `its login expired ${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC; the first call renews it if possible`,
      next: `If that fails: ${login}`,
    };
  } catch (error) {
    return failure(about, error);
  }
}

function checkLoginCap(role: Role, { spend }: Config): Finding {
  const about = `${role} price`;
  if (spend === undefined || isCappedOtherwise(spend))
    return { about, status: "ok", text: "the login pays, and the run is capped in calls, tokens or minutes" };
  return {
    about,
    status: "fail",
    text: "the login pays, so a cap in USD alone has no effect",
    next: "Cap calls, tokens or minutes as well, such as --spend-calls 500.",
  };
}

function checkPrice(role: Role, id: string, price: Price | undefined, config: Config): Finding {
  const about = `${role} price`;
  if (price !== undefined) {
    return { about, status: "ok", text: `$${price.input} in, $${price.output} out per million tokens` };
  }
  const { usd, ...others } = config.spend ?? defaultSpend;
  const isCapped = usd === undefined || isCappedOtherwise(others);
  return {
    about,
    status: isCapped ? "warn" : "fail",
    text: `the price of ${id} isn't known${isCapped ? "; the run has other caps" : `, so the cap of $${usd} can't be enforced`}`,
    next: isCapped
      ? `To see what it costs: --price ${id}=<in>,<out>`
      : `Add --spend-calls 2000, which works without a price; or set the price: --price ${id}=<in>,<out>`,
  };
}

/** The answers that the judge will be tested on before it may score. */
async function checkCalibration({ calibration }: Config, tasks: readonly Task[]): Promise<Finding> {
  const about = "calibration";
  try {
    const rows = await readCalibration(calibration, tasks);
    const probes = planProbes({ tasks, rows });
    const count = (kind: ProbeKind) => probes.filter((probe) => probe.kind === kind).length;
    const [good, own] = [count("good"), count("control")];
    const ours = own === 0 ? "" : ` (and ${own} of ours)`;
    const tried = `before scoring, the judge is tested with about ten calls; if it gets one wrong, on ${good} good answers${ours} and ${probes.length - good - own} bad ones`;
    if (good > 0)
      return { about, status: "ok", text: `${tried}; \`whetstone doctor evals --call\` does that now` };
    return {
      about,
      status: "warn",
      text: `${tried}. No good answer to these tasks is known, so it's unclear whether it would pass one`,
      next: "Mark answers to these tasks in a file and run `whetstone judge agree <file>`, or give tasks a `reference`.",
    };
  } catch (error) {
    return failure(about, error);
  }
}

const describeKey = (id: string, choice: ModelChoice): string =>
  `${id}: ${typeof choice === "string" ? "its key is set or not needed" : "given in code"}`;

interface Answered {
  readonly ms: number;
  /** Of a reply to a question like a run's. */
  readonly outputTokens?: number | undefined;
  /** Missing if the reply was usable. */
  readonly problem?: ExplainedReply;
}

/** One call like a run's: the longest task for the target, an analyst's prompt for the optimizer. */
async function callAsPlanned(
  role: Role,
  model: Model,
  choice: ModelChoice,
  config: Config,
  { signal, skill, splits }: RolesOptions,
): Promise<Answered> {
  const settings = await resolveSettings(config);
  const sample = skill === undefined ? undefined : { skill, splits };
  const around = { environment: chatEnvironment, settings };
  const longest = role === "target" ? sample && (await longestQuestion(sample, around)) : undefined;
  const analyst = role === "optimizer" ? sample && analystQuestion(sample, around) : undefined;
  const started = performance.now();
  const asked = { role, isAgent: false, settings };
  const { id } = model;
  const models = { target: id, optimizer: id, judge: id, miner: id };
  const context = { settings, models, takesBody: new Set(takesBody(choice, config) ? [id] : []) };
  const pace = createPaces(config.callSeconds)(id);
  const deadlineMs = () => pace.deadlineMs(role, 1);
  const ask = async (request: Omit<ModelRequest, "model">) => {
    const call = () =>
      model.generate({ ...request, model: id }, { key: freshKey(started), signal, deadlineMs });
    // a server that rejects the reply format is asked without it
    return call().catch((error: unknown) => {
      const isOnce = error instanceof InfraError && error.class === "transport" && !error.isLate;
      if (isOnce && request.body?.["response_format"] !== undefined) return call();
      throw error;
    });
  };
  let outputTokens: number | undefined;
  const problemOf = async (): Promise<ExplainedReply | undefined> => {
    if (analyst !== undefined) {
      const contract = contractIn(analystError, settings) ?? analystError;
      const body = requestBody(role, context, responseFormat(contract));
      const system = systemText(contract, settings.prompts);
      const reply = await ask({
        system,
        messages: analyst,
        maxTokens: settings.optimizerMaxTokens,
        ...body,
      });
      outputTokens = reply.usage.outputTokens;
      const parsed = parseReply(contract, reply);
      return parsed.ok ? undefined : explainReply(parsed.problem, asked, parsed.said);
    }
    const reply = await ask(
      longest === undefined
        ? { ...smallQuestion, ...requestBody(role, context) }
        : requestFor("target", longest.question, context),
    );
    if (longest !== undefined) outputTokens = reply.usage.outputTokens;
    const found = findReplyProblem(reply);
    return found === undefined ? undefined : explainReply(found, asked);
  };
  const problem = await problemOf().catch((error: unknown) => {
    if (error instanceof InfraError && error.class === "prompt-refused")
      return explainReply("too-long", asked, error.message);
    throw error;
  });
  const ms = Math.round(performance.now() - started);
  return problem === undefined ? { ms, outputTokens } : { ms, problem };
}

/** Doubles the number of simultaneous small calls until one has to wait for others. */
async function countSlots(model: Model, signal: AbortSignal): Promise<number> {
  const slowest = async (count: number) =>
    Math.max(...(await Promise.all(Array.from({ length: count }, () => callOnce(model, signal)))));
  const alone = Math.min(await slowest(1), await slowest(1));
  for (let slots = 1; slots < mostSlots; slots *= 2)
    if ((await slowest(2 * slots)) > alone * waited + 20) return slots;
  return mostSlots;
}

/** A call that waits for another takes twice as long; two at once on one GPU take only somewhat longer each. */
const [mostSlots, waited] = [8, 1.6];

const smallQuestion = {
  messages: [{ role: "user", content: "Reply with the word ok." }],
  maxTokens: 256,
} as const;

/** How many milliseconds one small call took. */
async function callOnce(model: Model, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  await model.generate(
    { model: model.id, ...smallQuestion },
    { key: freshKey(started), signal: within(signal) },
  );
  return Math.round(performance.now() - started);
}

/** Tries the whole chain once: program, sandbox, key or login, model. */
async function callAgent(
  role: Role,
  id: string,
  opener: AgentOpener,
  options: RolesOptions,
): Promise<number> {
  const { signal } = options;
  if (role !== "target") return callOnce(await opener.model(id), signal);
  const started = performance.now();
  const agent = await opener.agent(id);
  const request: AgentRequest = {
    agent: agent.id,
    version: agent.version,
    prompt: "Reply with the word ok. Use no tool.",
    files: {},
    skills: [],
    limits: (await resolveSettings({})).agentLimits,
  };
  await agent.run(request, { key: freshKey(started), signal: within(signal), meter: unmetered });
  return Math.round(performance.now() - started);
}

const freshKey = (started: number): string => `doctor-${process.pid}-${started}`;

const within = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(600_000)]);

/** One small call needs no cap. */
const unmetered: Meter = { begin: async () => ({ end: async () => {} }) };
