import { chooseSandbox } from "../src/ports.ts";
import { request } from "node:http";
import { InfraError, WhetstoneError } from "../src/index.ts";
import type { Meter } from "../src/ports.ts";
import { openAgent } from "../src/adapters/agents/agents.ts";
import { hostileRequests } from "../test/support/hostile-requests.ts";
import { type ModelProxy, modelProxy } from "../src/adapters/sandboxes/model-proxy.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { agentWorld, skill, task, verify } from "./agents/world.ts";
import { boundedMeter } from "./cap/bounded-meter.ts";
import { findForbidden } from "./cap/check-forwarded.ts";
import { floodBodies } from "./cap/flood-bodies.ts";
import { type RawRequest, generateHostile } from "./cap/generate-hostile.ts";
import { type GreedyProvider, greedyProvider } from "./cap/greedy-provider.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";

export const claim =
  "An agent gets past neither the proxy nor the cap: everything forwarded is on the allowlist, and everything booked was reserved.";

const price = { input: 3, output: 15, cachedInput: 0.3, cacheWriteInput: 3.75 };

export default async function proveCap({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const count = numberOption(args, "requests", short ? 2100 : 12_000);
  const running = runAgents(log);
  const known = await sendKnown(log);
  const generated = await sendGenerated(seed, count, log);
  const capped = await meetCaps(seed, short ? 20 : 200, log);
  const limit = await meetTokenLimit(log);
  const agents = await running;
  const grownMiB = await flood(log);

  const outside = known.outside + generated.outside + capped.outside + agents.outside;
  const above = known.above + generated.above + capped.above + agents.above;
  return {
    ok:
      outside === 0 &&
      above === 0 &&
      known.asWanted === hostileRequests.length &&
      generated.refused + generated.sent === count &&
      generated.whole === 0 &&
      generated.asTheyCame > count / 2 &&
      capped.overspent === 0 &&
      capped.met > 0 &&
      limit <= 100_000 &&
      grownMiB < 400 &&
      agents.passed === 4 &&
      agents.saysWhy,
    figures: {
      known: hostileRequests.length,
      asWanted: known.asWanted,
      generated: count,
      forbiddenAsTheyCame: generated.asTheyCame,
      sent: generated.sent,
      refused: generated.refused,
      sentOutsideTheList: outside,
      bookedAboveReserved: above,
      caps: capped.rounds,
      capsMet: capped.met,
      overspent: capped.overspent,
      tokensUnderALimitOf100000: limit,
      grownMiB,
      agents: agents.versions,
      agentsPassed: agents.passed,
      refusalInTheAgentsLog: agents.saysWhy,
    },
  };
}

const open = (provider: GreedyProvider, meter: Meter, limits = { calls: 1e6, tokens: 1e12 }) =>
  modelProxy({
    baseURL: provider.url,
    headers: async () => ({ authorization: "Bearer sk-proof-0123456789" }),
    key: "cap",
    meter,
    limits,
    priceOf: () => price,
    fetch,
  });

/** Requests that once got through, each under a cap of one dollar. The checker must find the fault in each. */
async function sendKnown(log: (line: string) => void) {
  let [asWanted, outside, above] = [0, 0, 0];
  for (const { name, path, body, headers = {}, becomes } of hostileRequests) {
    await using provider = await greedyProvider();
    const bounded = boundedMeter(1);
    await using proxy = await open(provider, bounded.meter);
    const { status, text } = await send(proxy, { path, text: JSON.stringify(body), headers });
    const isRight = becomes === "refused" ? status === 400 && provider.received.length === 0 : status === 200;
    // a picture isn't a fault, only its price was
    const isSeen =
      name.includes("picture of many pixels") || findForbidden({ path, headers, body }) !== undefined;
    if (isRight && isSeen && bounded.spentUsd() <= 1) asWanted += 1;
    else log(`UNEXPECTED: ${name}: ${status} ${text.slice(0, 100)}`);
    for (const found of provider.forbidden) log(`FORWARDED: ${name}: ${found}`);
    outside += provider.forbidden.length;
    above += bounded.above();
  }
  log(`${asWanted} of ${hostileRequests.length} known attacks refused or bounded`);
  return { asWanted, outside, above };
}

async function sendGenerated(seed: number, count: number, log: (line: string) => void) {
  let [sent, refused, whole, asTheyCame, outside, above] = [0, 0, 0, 0, 0, 0];
  const perProxy = 150;
  for (let from = 0; from < count; from += perProxy) {
    await using provider = await greedyProvider();
    const bounded = boundedMeter(1000);
    await using proxy = await open(provider, bounded.meter);
    const numbers = Array.from({ length: Math.min(perProxy, count - from) }, (_, at) => from + at);
    await inTurns(8, numbers, async (n) => {
      const raw = generateHostile(seed, n);
      if (isForbidden(raw)) asTheyCame += 1;
      const { status } = await send(proxy, raw);
      if (status === 200) sent += 1;
      else if (status === 400) refused += 1;
      else log(`UNEXPECTED: number ${n}: ${status}`);
      if (n % 20 === 0 && status !== 200) whole += 1;
    });
    for (const found of provider.forbidden.slice(0, 5)) log(`FORWARDED from ${from}: ${found}`);
    outside += provider.forbidden.length;
    above += bounded.above();
  }
  log(`${count} generated on three wires: ${sent} forwarded in a known form, ${refused} refused`);
  log(`  ${asTheyCame} of them must not be forwarded unchanged`);
  if (whole > 0) log(`${whole} ordinary requests were refused`);
  return { sent, refused, whole, asTheyCame, outside, above };
}

function isForbidden({ path, headers, text }: RawRequest): boolean {
  try {
    return findForbidden({ path, headers, body: JSON.parse(text) }) !== undefined;
  } catch {
    return true;
  }
}

/** Many at once under a cap that isn't enough for all of them. */
async function meetCaps(seed: number, rounds: number, log: (line: string) => void) {
  let [met, overspent, outside, above] = [0, 0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    await using provider = await greedyProvider();
    const bounded = boundedMeter(1);
    const proxies = await Promise.all([0, 1].map(() => open(provider, bounded.meter)));
    // also ordinary ones, because those spend
    const numbers = Array.from({ length: 24 }, (_, at) =>
      at % 2 === 0 ? 20 * (24 * round + at) : 24 * round + at,
    );
    await Promise.all(
      numbers.map((n, at) => send(proxies[at % 2] as ModelProxy, generateHostile(seed + 1, n))),
    );
    if (proxies.some((proxy) => proxy.facts().stopped !== undefined)) met += 1;
    for (const proxy of proxies) await proxy.close();
    if (bounded.spentUsd() > 1) overspent += 1;
    outside += provider.forbidden.length;
    above += bounded.above();
  }
  log(`${rounds} caps of $1, 24 calls at once on two proxies: ${met} met, ${overspent} overspent`);
  return { rounds, met, overspent, outside, above };
}

async function meetTokenLimit(log: (line: string) => void): Promise<number> {
  await using provider = await greedyProvider();
  await using proxy = await open(provider, boundedMeter(1000).meter, { calls: 60, tokens: 100_000 });
  const body = JSON.stringify({ model: "m", messages: [], max_tokens: 30_000 });
  const calls = Array.from({ length: 60 }, () =>
    send(proxy, { path: "/v1/chat/completions", text: body, headers: {} }),
  );
  const answered = (await Promise.all(calls)).filter(({ status }) => status === 200).length;
  const { usage } = proxy.facts();
  const tokens = usage.inputTokens + usage.outputTokens;
  log(`60 calls at once under a limit of 100,000 tokens: ${answered} answered, ${tokens} tokens`);
  return tokens;
}

async function flood(log: (line: string) => void): Promise<number> {
  await using provider = await greedyProvider();
  await using proxy = await open(provider, boundedMeter(1).meter, { calls: 3, tokens: 1000 });
  const grown = await floodBodies(proxy);
  log(`100 endless bodies: the host's process grew by ${grown} MiB`);
  return grown;
}

const models = {
  "claude-code": "claude-sonnet-4-5",
  codex: "gpt-5-codex",
  opencode: "local/scripted",
  pi: "local/scripted",
} as const;

/** The real CLIs do a task through the same proxy, and what they send passes the same checker. */
async function runAgents(log: (line: string) => void) {
  const world = agentWorld((key) => ({ agent: key.split("~")[0] ?? "", script: "edit" }));
  await using server = await startScriptedServer({ seed: 1, world });
  await using provider = await greedyProvider({
    pass: (path, { "idempotency-key": key = "" }, body) =>
      fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": String(key) },
        body,
      }),
  });
  const runs = await Promise.all(
    (Object.keys(models) as (keyof typeof models)[]).map(async (name) => {
      const bounded = boundedMeter(20);
      const { passed, version, said } = await runAgent(name, provider, bounded.meter);
      log(`${name.padEnd(12)} ${version}: ${said}, ${bounded.calls.length} calls`);
      return { passed, version: `${name} ${version}`, above: bounded.above() };
    }),
  );
  // a tool of the provider, switched on by hand: the agent's own error says what was refused
  const hosted = await runAgent("codex", provider, boundedMeter(20).meter, ["-c", 'web_search="live"']);
  log(`codex with web search: ${hosted.said}`);
  for (const found of provider.forbidden) log(`FORWARDED for an agent: ${found}`);
  return {
    passed: runs.filter(({ passed }) => passed).length,
    saysWhy: !hosted.passed && hosted.said.includes("doesn't allow the tool `web_search`"),
    versions: runs.map(({ version }) => version),
    outside: provider.forbidden.length,
    above: runs.reduce((sum, { above }) => sum + above, 0),
  };
}

async function runAgent(
  name: keyof typeof models,
  provider: GreedyProvider,
  meter: Meter,
  args: readonly string[] = [],
) {
  try {
    const agent = await openAgent(name, {
      model: models[name],
      settings: { baseURL: provider.url, apiKeyEnv: "PROOF_KEY", args },
      env: { PATH: process.env["PATH"], PROOF_KEY: "sk-proof-of-the-host" },
      home: "/nonexistent",
      sandbox: await chooseSandbox("bubblewrap", { env: process.env }),
      priceOf: () => price,
      answerMs: 10_000,
    });
    const { id, version } = agent;
    const wish = { agent: id, version, ...task, skills: [skill], limits };
    const run = await agent.run(wish, { key: `${name}~edit`, signal: new AbortController().signal, meter });
    const isRight = run.ended === "done" && verify(run.changed);
    const trimmed = run.removed === undefined ? "nothing removed" : `removed: ${run.removed.join(", ")}`;
    return {
      passed: isRight,
      version,
      said: `${isRight ? "task done" : `NOT done (${run.ended})`}, ${trimmed}`,
    };
  } catch (error) {
    if (!(error instanceof WhetstoneError || error instanceof InfraError)) throw error;
    return { passed: false, version: "?", said: `NOT done: ${error.message} ${error.hint ?? ""}` };
  }
}

const limits = {
  turns: 12,
  calls: 20,
  tokens: 1_000_000,
  seconds: 120,
  memoryMb: 4096,
  processes: 200,
  diskMb: 512,
};

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Zero where the connection was cut instead. */
function send(proxy: ModelProxy, { path, text, headers }: RawRequest): Promise<Answered> {
  return new Promise((resolve) => {
    const sent = request(
      {
        socketPath: proxy.socket,
        path,
        method: "POST",
        headers: { host: "localhost", "content-type": "application/json", ...headers },
        agent: false,
      },
      (response) => {
        let said = "";
        response.setEncoding("utf8").on("data", (piece: string) => (said += piece));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text: said }));
      },
    );
    sent.on("error", (error) => resolve({ status: 0, text: error.message }));
    sent.end(text);
  });
}

async function inTurns<T>(
  width: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, one));
}
