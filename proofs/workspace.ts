import { readdirSync } from "node:fs";
import { join } from "node:path";
import { evaluate } from "../src/index.ts";
import { type ScriptedServer, startScriptedServer } from "../src/testing/index.ts";
import { hashFolder } from "../test/support/repository.ts";
import { replayEnvironment } from "../src/sleep/night/replay-environment.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { documentOf, makeProject, type Project } from "./workspace/project.ts";
import { type AgentName, type Looked, readLook, workspaceWorld } from "./workspace/world.ts";

export const claim =
  "A rule in a memory file or a skill makes the real agent pass the project's own failing test, at the recorded commit in the sandbox. The user's checkout stays untouched.";

const models: Readonly<Record<AgentName, string>> = {
  "claude-code": "claude-code/claude-sonnet-4-5",
  codex: "codex/gpt-5-codex",
};

export default async function proveWorkspace({ short, log }: ProofOptions): Promise<ProofResult> {
  using place = temporaryDirectory("workspace");
  const project = makeProject(place.path);
  // every folder that a run makes is made here, so that leftovers are noticed
  using temporary = temporaryDirectory("workspace-tmp");
  process.env["TMPDIR"] = temporary.path;
  const before = hashFolder(project.repo);
  log(`a project whose test fails at ${project.commit.slice(0, 12)}, is fixed by the next commit, and has`);
  log("unfinished work in its folder; the model is scripted, the agent CLI, git, sandbox and test are real");
  log("");

  const arms: Arm[] = [];
  for (const agent of short ? (["claude-code"] as const) : (["claude-code", "codex"] as const)) {
    for (const kind of ["memory", "skill"] as const) {
      const [without, withRule] = [
        await replay(project, place.path, agent, kind, false),
        await replay(project, place.path, agent, kind, true),
      ];
      arms.push(without, withRule);
      log(
        `${agent.padEnd(12)} ${kind.padEnd(7)} without the rule ${without.score}, with it ${withRule.score}  (${(withRule.ms / 1000).toFixed(1)} s with its preflight)`,
      );
    }
  }
  const untouched = hashFolder(project.repo) === before;
  const left = readdirSync(temporary.path);
  const looks = arms.flatMap((arm) => arm.looks);
  log("");
  log(
    `the agents looked at the project ${looks.length} times, each at the recorded commit, the only one in its copy;`,
  );
  log(
    `later commits, unfinished work or the hidden grader were found ${sum(looks.map(({ found }) => found))} times`,
  );
  log(`the user's folder, including .git, is ${untouched ? "byte for byte the same" : "CHANGED"}`);

  const conditions: Readonly<Record<string, boolean>> = {
    "every document scores 0 without the rule and 1 with it": arms.every(
      ({ hasRule, score }) => score === (hasRule ? 1 : 0),
    ),
    "every skill was loaded": arms.every(({ kind, loaded }) => kind === "memory" || loaded),
    "each run looked at the project": looks.length === arms.length,
    "each run was at the recorded commit, clean, without other commits": looks.every(
      ({ at, commits, status }) => at === project.commit && commits === 1 && status === 0,
    ),
    "nothing that must be hidden was seen": looks.every(({ found }) => found === 0),
    "dependencies were there, and read-only": looks.every(({ keptDependencies }) => keptDependencies),
    "the agent could run the test itself": arms.every(({ hasRule, looks: own }) =>
      own.every(({ passes }) => passes === (hasRule ? 1 : 0)),
    ),
    "the user's checkout is untouched": untouched,
    "nothing is left behind": left.length === 0,
  };
  const broken = Object.keys(conditions).filter((name) => conditions[name] !== true);
  for (const name of broken) log(`NOT: ${name}`);
  return {
    ok: broken.length === 0,
    figures: {
      agents: short ? 1 : 2,
      without: arms.filter(({ hasRule }) => !hasRule).map(({ score }) => score),
      with: arms.filter(({ hasRule }) => hasRule).map(({ score }) => score),
      looks: looks.length,
      found: sum(looks.map(({ found }) => found)),
      untouched,
      leftFolders: left.length,
      msPerArm: Math.round(sum(arms.map(({ ms }) => ms)) / arms.length),
    },
  };
}

interface Arm {
  readonly kind: "skill" | "memory";
  readonly hasRule: boolean;
  /** The share of tasks that passed; null when none could be scored. */
  readonly score: number | null;
  readonly loaded: boolean;
  readonly looks: readonly Looked[];
  readonly ms: number;
}

/** One document on the project's task, through the journal as any run. */
async function replay(
  { repo, tasks }: Project,
  folder: string,
  agent: AgentName,
  kind: "skill" | "memory",
  hasRule: boolean,
): Promise<Arm> {
  await using server = await startScriptedServer({ seed: 1, world: workspaceWorld });
  const [train, val] = tasks.map((task) => [task]);
  const config = {
    skill: documentOf(kind, hasRule),
    tasks: { train: train ?? [], val: val ?? [] },
    target: models[agent],
    agents: { [agent]: { baseURL: `${server.url}/v1`, apiKeyEnv: "PROOF_KEY" } },
    environment: replayEnvironment(kind, { skills: [], memory: "" }),
    sleep: { dependencies: ["node_modules"] },
    spend: { calls: 100 },
    prices: { "anthropic/claude-sonnet-4-5": free, "openai/gpt-5-codex": free },
    journal: join(folder, "journal"),
    out: join(folder, `out-${agent}-${kind}-${hasRule}`),
  };
  process.env["PROOF_KEY"] = "sk-proof-of-the-host";
  process.chdir(repo);
  const started = performance.now();
  const { summary, result: evaluation } = await evaluate(config);
  return {
    kind,
    hasRule,
    score: summary.hard,
    loaded: evaluation.rolled.some(
      ({ outcome }) =>
        outcome.kind === "scored" && JSON.stringify(outcome.extras).includes('"loaded":["money"]'),
    ),
    looks: lastLook(server),
    ms: Math.round(performance.now() - started),
  };
}

const free = { input: 0, output: 0 };

const lastLook = ({ calls }: ScriptedServer): readonly Looked[] =>
  calls.flatMap(({ request }) => readLook(request) ?? []).slice(-1);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
