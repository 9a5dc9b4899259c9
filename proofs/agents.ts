import { chooseSandbox } from "../src/ports.ts";
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { InfraError, WhetstoneError } from "../src/index.ts";
import type { Agent, AgentLimits, AgentRun, Meter } from "../src/ports.ts";
import { openAgent } from "../src/adapters/agents/agents.ts";
import { type ScriptedServer, startScriptedServer } from "../src/testing/index.ts";
import { type Case, cases, type Outcome } from "./agents/cases.ts";
import { agentWorld, skill, skillName, sleepMark, task, verify } from "./agents/world.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { processesWith } from "./support/processes-with.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "The four real agent CLIs load a skill in the sandbox and follow it. Their failures are distinguished, and a killed run leaves nothing behind.";

/** Which model each agent uses: behind it is the agent's own protocol. */
const agents = {
  "claude-code": "claude-sonnet-4-5",
  codex: "gpt-5-codex",
  opencode: "local/scripted",
  pi: "local/scripted",
} as const;
type Name = keyof typeof agents;
const names = Object.keys(agents) as Name[];

const limits: AgentLimits = {
  turns: 12,
  calls: 20,
  tokens: 1_000_000,
  seconds: 120,
  memoryMb: 4096,
  processes: 200,
  diskMb: 512,
};

export default async function proveAgents({ short, log }: ProofOptions): Promise<ProofResult> {
  // every folder that a run makes is made here, so that leftovers are noticed
  using folder = temporaryDirectory("agents");
  process.env["TMPDIR"] = folder.path;
  const chosen = cases.filter((one) => (short ? one.short : true));
  await using server = await startServer();
  const opened = await openAll(server, log);
  if (opened === undefined) return { ok: false, figures: { missing: true } };

  log(names.map((name) => `${name} ${opened[name].version}`).join(", "));
  log(
    "each in bubblewrap, against a scripted model on loopback; the verifier compares the file with the skill's rule",
  );
  log("");
  const rows = new Map(
    await Promise.all(names.map(async (name) => [name, await runAll(name, server, chosen)] as const)),
  );
  for (const line of table(chosen, rows)) log(line);
  log("");

  const killed = await Promise.all(names.map((name) => killOne(name, opened[name])));
  for (const { name, before, after, ms } of killed) {
    log(`${name.padEnd(12)} killed inside \`sleep\`: ${before} processes before, ${after} after ${ms} ms`);
  }
  const leftFolders = readdirSync(folder.path);
  log(`folders left behind: ${leftFolders.length === 0 ? "none" : leftFolders.join(", ")}`);

  const wrong = names.flatMap((name) =>
    (rows.get(name) ?? []).flatMap((seen, at) =>
      isWanted(seen, chosen[at]!)
        ? []
        : [`${name}: ${chosen[at]!.name}: ${seen.outcome}, ${seen.requests} requests. ${seen.said}`],
    ),
  );
  for (const line of wrong) log(`UNEXPECTED: ${line}`);
  const clean = killed.every(({ before, after }) => before > 0 && after === 0) && leftFolders.length === 0;
  return {
    ok: wrong.length === 0 && clean,
    figures: {
      agents: names.map((name) => `${name} ${opened[name].version}`),
      rows: chosen.length,
      runs: chosen.length * names.length,
      asWanted: chosen.length * names.length - wrong.length,
      loaded: names.filter((name) => rows.get(name)?.[0]?.loaded).length,
      leftRunning: killed.reduce((sum, { after }) => sum + after, 0),
      killMs: Math.max(...killed.map(({ ms }) => ms)),
      leftFolders: leftFolders.length,
      medianMs: Object.fromEntries(
        names.map((name) => [name, median((rows.get(name) ?? []).map(({ ms }) => ms))]),
      ),
    },
  };
}

/** A unit's key is `agent~row`; the proxy adds `:n` for its n-th request. */
function startServer(): Promise<ScriptedServer> {
  const read = (key: string) => {
    const [, agent = "", row = "", n = "0"] = /^(.*)~(.*):(\d+)$/.exec(key) ?? [];
    return { agent, one: cases.find(({ name }) => name === row), n: Number(n) };
  };
  const world = agentWorld((key) => {
    const { agent, one } = read(key);
    return { agent, script: one?.script ?? "sleep" };
  });
  return startScriptedServer({
    seed: 1,
    world,
    faults: (key) => {
      const { one, n } = read(key);
      return one?.fault?.(n);
    },
  });
}

async function open(name: Name, server: ScriptedServer | undefined): Promise<Agent> {
  return openAgent(name, {
    model: server === undefined && agents[name].startsWith("local/") ? "openai/gpt-5-nano" : agents[name],
    settings: server === undefined ? {} : { baseURL: `${server.url}/v1`, apiKeyEnv: "PROOF_KEY" },
    env: {
      PATH: process.env["PATH"],
      ...(server === undefined ? {} : { PROOF_KEY: "sk-proof-of-the-host" }),
    },
    home: "/nonexistent",
    sandbox: await chooseSandbox("bubblewrap", { env: process.env }),
    priceOf: () => ({ input: 1, output: 5 }),
    answerMs: 3000,
  });
}

async function openAll(
  server: ScriptedServer,
  log: (line: string) => void,
): Promise<Readonly<Record<Name, Agent>> | undefined> {
  try {
    const opened = await Promise.all(names.map(async (name) => [name, await open(name, server)] as const));
    return Object.fromEntries(opened) as Record<Name, Agent>;
  } catch (error) {
    if (!(error instanceof WhetstoneError && error.code === "agent-missing")) throw error;
    log(`${error.message} Run \`. .ci/env && . .ci/agents\` first: it installs the four.`);
    return undefined;
  }
}

interface Seen {
  readonly outcome: Outcome;
  readonly said: string;
  readonly requests: number;
  readonly loaded: boolean;
  readonly ms: number;
}

async function runAll(name: Name, server: ScriptedServer, chosen: readonly Case[]): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const one of chosen) {
    const agent = await open(name, one.noKey === true ? undefined : server);
    seen.push(await runOne(agent, `${name}~${one.name}`, one, server));
  }
  return seen;
}

async function runOne(agent: Agent, key: string, one: Case, server: ScriptedServer): Promise<Seen> {
  const started = performance.now();
  const sentBefore = requestsOf(server, key);
  const facts = () => ({
    requests: requestsOf(server, key) - sentBefore,
    ms: Math.round(performance.now() - started),
  });
  try {
    const run = await agent.run(requestFor(agent, one), { key, signal: new AbortController().signal, meter });
    const { offered, loaded } = run.skills;
    return {
      outcome: judge(run, one),
      said: `offered ${offered.join(" ")}; ${run.text}`,
      loaded: loaded.includes(skillName),
      ...facts(),
    };
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    const said = `${error.message} ${error.hint ?? ""}`;
    const outcome = error.retryable ? "pending" : /log in|\bset \w+_KEY\b/i.test(said) ? "login" : "stop";
    return { outcome, said, loaded: false, ...facts() };
  }
}

/** With the skill, a run counts only when the skill was offered and, unless something went wrong before, loaded. */
function judge(run: AgentRun, one: Case): Outcome {
  if (run.ended === "length" || run.ended === "turns" || run.ended === "refused") return run.ended;
  if (run.ended !== "done") return "other";
  if (one.skill !== run.skills.offered.includes(skillName)) return "other";
  if (one.skill !== run.skills.loaded.includes(skillName)) return "other";
  return verify(run.changed) ? "pass" : "fail";
}

const requestFor = (agent: Agent, one: Pick<Case, "skill" | "limits">) => ({
  agent: agent.id,
  version: agent.version,
  ...task,
  skills: one.skill ? [skill] : [],
  limits: { ...limits, ...one.limits },
});

const meter: Meter = { begin: async () => ({ end: async () => {} }) };

const requestsOf = (server: ScriptedServer, key: string): number =>
  server.calls.filter((call) => call.key.startsWith(`${key}:`)).length;

const isWanted = ({ outcome, requests }: Seen, one: Case): boolean =>
  one.wanted.includes(outcome) && requests <= (one.requests ?? Number.POSITIVE_INFINITY);

/** Stops a run while its shell tool sleeps, and counts the processes with the tool's mark. */
async function killOne(name: Name, agent: Agent) {
  const mark = sleepMark(name);
  const controller = new AbortController();
  const request = requestFor(agent, { skill: false });
  const ended = agent.run(request, { key: `${name}~kill`, signal: controller.signal, meter }).then(
    () => "an end",
    () => "stopped",
  );
  let before = 0;
  for (let tries = 0; tries < 600 && before === 0; tries += 1) {
    await sleep(100);
    before = processesWith(mark);
  }
  const started = performance.now();
  controller.abort();
  await ended;
  return { name, before, after: processesWith(mark), ms: Math.round(performance.now() - started) };
}

function* table(chosen: readonly Case[], rows: ReadonlyMap<Name, readonly Seen[]>): Generator<string> {
  yield `${"".padEnd(26)}${names.map((name) => name.padEnd(22)).join("")}wanted`;
  for (const [at, one] of chosen.entries()) {
    const cells = names.map((name) => {
      const seen = rows.get(name)![at]!;
      const mark = isWanted(seen, one) ? "" : " !";
      return `${seen.outcome}${mark}, ${seen.requests}×, ${(seen.ms / 1000).toFixed(1)} s`.padEnd(22);
    });
    yield `${one.name.padEnd(26)}${cells.join("")}${one.wanted.join(" or ")}`;
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
