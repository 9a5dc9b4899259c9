import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { claudeReader } from "../src/adapters/agents/vendors/claude-events.ts";
import { scoreTask } from "../src/method.ts";
import type { Json, JsonObject, ScoringTools } from "../src/ports.ts";
import { type Task, importTasks } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { obedientWorld } from "../test/support/plugin-lessons.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { harbourWorld, judgement } from "./plugin-eval/harbour-world.ts";
import { type RealResult, type RealRun, runReal } from "./plugin-eval/run-real.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { runCli } from "./support/run-cli.ts";

export const claim =
  "A suite for `claude plugin eval` gets the same scores here, on the same transcripts. A dead endpoint scores 1 there and counts as missing here.";

const example = join(import.meta.dirname, "../examples/plugin-eval");
/** Every kind of grader is in these. */
const rich = ["arrival", "leaving", "moved", "question"];

export default async function provePluginEval({ short, log }: ProofOptions): Promise<ProofResult> {
  using home = temporaryDirectory("plugin-eval");
  const plugin = join(home.path, "plugin");
  cpSync(example, plugin, { recursive: true });
  const evals = join(plugin, "evals");
  if (short)
    for (const name of readdirSync(evals).filter((one) => !rich.includes(one)))
      rmSync(join(evals, name), { recursive: true });
  log(
    "against a scripted model on loopback; not covered: real models' answers, noise in their judges, MCP servers",
  );
  await using server = await startScriptedServer({ seed: 1, world: harbourWorld, record: false });
  const real = await runReal(plugin, home.path, server.url, ["--runs", short ? "1" : "2"]);
  if (real === undefined) {
    log("claude isn't installed: run `. .ci/env && . .ci/agents` first.");
    return { ok: false, figures: { missing: true } };
  }
  const { tasks, notUnderstood } = await importTasks(plugin);
  const refused = notUnderstood.filter(({ effect }) => effect === "invalid").length;
  const alike = await scoreAlike(real.result, tasks, log);
  const dead = await proveDead(plugin, home.path, server.url, short, log);
  const own = short || (await proveOwn(home.path, log));
  const ok = own && refused === 0 && alike.different === 0 && alike.graders > 0 && dead;
  const { runs, graders, different } = alike;
  return {
    ok,
    figures: {
      claude: real.result.claudeVersion,
      cases: tasks.length,
      refused,
      runs,
      graders,
      different,
      dead,
    },
  };
}

/** The suite of our own plugin: the real program scores who read the skill, and who did not. */
async function proveOwn(home: string, log: (line: string) => void): Promise<boolean> {
  const plugin = join(home, "own");
  cpSync(join(import.meta.dirname, "../plugins/whetstone"), plugin, { recursive: true });
  await using server = await startScriptedServer({ seed: 1, world: obedientWorld, record: false });
  const real = await runReal(plugin, home, server.url, ["--runs", "1"]);
  const cases = real?.result.cases ?? [];
  const passed = cases.filter(({ aggregates: { score, scoreWithout } }) => score === 1 && scoreWithout === 0);
  log(`our own plugin: ${passed.length} of ${cases.length} cases pass with its skill and fail without it`);
  return cases.length > 0 && passed.length === cases.length;
}

/** Each recorded run, scored by our checks; differences from its own graders are reported. */
async function scoreAlike(real: RealResult, tasks: readonly Task[], log: (line: string) => void) {
  let [runs, graders, different] = [0, 0, 0];
  log("case        arm      there  here  graders");
  for (const { name, arms } of real.cases) {
    const task = tasks.find(({ id }) => id === name);
    for (const arm of ["with", "without"] as const)
      for (const run of arms[arm] ?? []) {
        const score = task === undefined ? undefined : await scoreTask(task, performanceIn(run), { judge });
        const known = score !== undefined && !("kind" in score) ? score : undefined;
        const theirs = run.graders.filter(({ scored }) => scored);
        const unlike = theirs.filter(({ passed }, at) => known?.checks?.[at]?.pass !== passed);
        const isSame = known?.soft === run.score && (known.hard === 1) === run.passed && unlike.length === 0;
        runs += 1;
        graders += theirs.length;
        if (!isSame) different += 1;
        log(
          `${name.padEnd(11)} ${arm.padEnd(8)} ${run.score.toFixed(2).padStart(5)} ${(known?.soft ?? Number.NaN).toFixed(2).padStart(5)}  ${theirs.length}${isSame ? "" : ` DIFFERENT: ${unlike.map((one) => one.name).join(", ")}`}`,
        );
      }
  }
  return { runs, graders, different };
}

/** The agent's actions, from its own stream; files are those that it wrote. */
function performanceIn({ tracePath }: RealRun) {
  const lines = readFileSync(tracePath, "utf8").split("\n");
  const reader = claudeReader();
  for (const line of lines) reader.line(line);
  const { text, toolCalls, conversation, loaded } = reader.read();
  const { cwd } = JSON.parse(lines[0] ?? "{}") as { readonly cwd: string };
  const files = toolCalls.flatMap(({ name, input, failed }) => {
    if (name !== "Write" || failed || !isJsonObject(input)) return [];
    const { file_path: path, content } = input;
    if (typeof path !== "string" || typeof content !== "string") return [];
    return [[path.slice(cwd.length + 1), content] as const];
  });
  return { text, toolCalls, conversation, files: Object.fromEntries(files), skillsLoaded: loaded };
}

const judge: NonNullable<ScoringTools["judge"]> = async ({ system, prompt }) => {
  const { text } = judgement({ system, messages: [{ role: "user", content: prompt }] });
  return { text, finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } };
};

/** A case that asks for the words of an error, at an address where nobody listens. */
async function proveDead(
  plugin: string,
  home: string,
  liveURL: string,
  short: boolean,
  log: (line: string) => void,
): Promise<boolean> {
  const evals = join(plugin, "evals");
  for (const name of readdirSync(evals)) if (short) rmSync(join(evals, name), { recursive: true });
  mkdirSync(join(evals, "dead/graders"), { recursive: true });
  writeFileSync(join(evals, "dead/prompt.md"), "Is the harbour open?\n");
  writeFileSync(join(evals, "dead/graders/says.md"), "---\ntype: regex\nflags: i\n---\n\nrefused|closed\n");
  const url = `http://127.0.0.1:${await closedPort()}`;
  const there = await runReal(plugin, home, url, ["--runs", "1", "--ablation", "none", "--case", "dead"]);
  const [run] = there?.result.cases[0]?.arms.with ?? [];
  if (run === undefined) return false;
  const reader = claudeReader();
  for (const line of readFileSync(run.tracePath, "utf8").split("\n")) reader.line(line);
  const { text, failure } = reader.read();
  log(`a dead endpoint there: score ${run.score}, exit ${there?.code}, error ${run.error?.slice(0, 60)}`);
  log(
    `the same transcript here: ${failure === undefined ? "a result" : "no result"}, answer ${JSON.stringify(text)}`,
  );
  const isMissing = run.score === 1 && there?.code === 0 && failure !== undefined && text === "";
  if (short || !isMissing) return isMissing;
  const agent = { baseURL: `${url}/v1`, apiKeyEnv: "PROOF_KEY" };
  const config = {
    agents: { "claude-code": agent },
    providers: { office: { baseURL: `${liveURL}/v1` } },
    judge: "office/judge",
    spend: { calls: 2000 },
  };
  writeFileSync(join(home, "whetstone.config.json"), JSON.stringify(config));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, PROOF_KEY: "none" };
  const ours = await runCli(["eval", "./plugin", "--trials", "1"], { cwd: home, env });
  log(`whetstone eval there: exit ${ours.code}, ${/error [\w-]+/.exec(ours.printed)?.[0] ?? "no error"}`);
  return ours.code === 5 && ours.printed.includes("too-many-pending");
}

const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const closedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
