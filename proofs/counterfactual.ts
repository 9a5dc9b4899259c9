import { mkdirSync, readFileSync, realpathSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "../src/testing/index.ts";
import { projectState } from "../test/support/project-state.ts";
import { gitIn, hashFolder, makeRepository } from "../test/support/repository.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { openingAnswer, packageIn, rule, talksWith } from "./counterfactual/talks.ts";
import { nightWorld } from "./counterfactual/world.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { callOf, sayTo, sessionIn } from "./support/real-talk.ts";
import { runCli } from "./support/run-cli.ts";
import type { TalkAgent } from "./two-weeks/talks.ts";

export const claim =
  "A night continues real conversations from before a correction, with and without the rule. It uses the same agent, the same turns before it and the same commit, and nothing outside changes.";

const models: Readonly<Record<TalkAgent, string>> = {
  "claude-code": "claude-code/claude-sonnet-4-5",
  codex: "codex/gpt-5-codex",
};

export default async function proveCounterfactual({ short, log }: ProofOptions): Promise<ProofResult> {
  log(
    "the model is scripted and obeys a rule that it reads; the agents, git, the sandbox and the night are real",
  );
  log("not covered: models that forget a rule, conversations whose earlier turns changed files");
  const nights: NightSeen[] = [];
  for (const agent of short ? (["claude-code"] as const) : (["claude-code", "codex"] as const))
    nights.push(await holdNight(agent, log));
  const problems = nights.flatMap(({ problems: own }) => own);
  for (const problem of problems) log(`NOT: ${problem}`);
  const sum = (pick: (night: NightSeen) => number) => nights.reduce((all, night) => all + pick(night), 0);
  return {
    ok: problems.length === 0,
    figures: {
      conversations: sum(({ talks }) => talks),
      rollouts: sum(({ rollouts }) => rollouts),
      withRule: sum(({ withRule }) => withRule),
      problems: problems.length,
    },
  };
}

interface NightSeen {
  readonly talks: number;
  readonly rollouts: number;
  readonly withRule: number;
  readonly problems: readonly string[];
}

/** Six talks with the real agent, then a night over them. */
async function holdNight(agent: TalkAgent, log: (line: string) => void): Promise<NightSeen> {
  using root = temporaryDirectory(`counterfactual-${agent}`);
  const home = join(realpathSync(root.path), "home");
  const project = join(home, "code", "shop");
  mkdirSync(project, { recursive: true });
  makeRepository(project, [{ "CLAUDE.md": "# Shop\n", "AGENTS.md": "# Shop\n", "src/app.js": "greet();\n" }]);
  const commit = gitIn(project)("rev-parse", "HEAD").trim();
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LANG: "C.UTF-8",
    TMPDIR: root.path,
    KEY: "sk-proof",
    WHETSTONE_STATE: process.env["WHETSTONE_STATE"] ?? "",
  };
  const talks = talksWith(agent);
  await record(agent, { project, env });
  // commit times are in seconds: the talks must have started before this one
  writeFileSync(join(project, "src/app.js"), "later();\n");
  gitIn(project)("commit", "--quiet", "--all", "--message", "Later");
  writeFileSync(join(project, "src/app.js"), "unfinished();\n");

  await using server = await startScriptedServer({ seed: 1, world: nightWorld });
  const roles = ["miner", "optimizer", "judge"] as const;
  const config = {
    ...Object.fromEntries(roles.map((role) => [role, `scripted/${role}`])),
    target: models[agent],
    providers: { scripted: { baseURL: `${server.url}/v1` } },
    agents: { [agent]: { baseURL: `${server.url}/v1`, apiKeyEnv: "KEY" } },
    prices: Object.fromEntries(
      [...roles.map((role) => `scripted/${role}`), "anthropic/claude-sonnet-4-5", "openai/gpt-5-codex"].map(
        (model) => [model, { input: 1, output: 4 }],
      ),
    ),
    trials: 1,
  };
  writeFileSync(join(project, "whetstone.config.json"), JSON.stringify(config));
  const before = hashFolder(project);
  const run = (...words: readonly string[]) => runCli(words, { cwd: project, env });
  const problems: string[] = [];
  const check = (isSo: boolean, what: string): void => {
    if (!isSo) problems.push(`${agent}: ${what}`);
  };
  const init = await run("sleep", "init", "--yes");
  check(init.code === 0, `sleep init succeeds: ${init.printed.slice(-400)}`);
  const asked = server.callCount;
  const planned = await run("sleep", "dry-run");
  check(
    /\$\d/.test(planned.printed) && server.callCount === asked,
    `the price is shown first: ${planned.printed.slice(-400)}`,
  );
  const night = await run("sleep", "run");
  check(night.code === 0, `the night succeeds: ${night.printed.slice(-800)}`);
  log("");
  for (const line of night.printed.trim().split("\n")) log(`  ${line}`);
  const { printed: reviewed } = await run("review");
  for (const line of reviewed.trim().split("\n")) log(`  ${line}`);

  const requests = server.calls.map(({ request }) => request).filter(({ tools }) => tools.length > 0);
  const first = requests.filter(
    ({ messages }) =>
      messages.every(({ role }) => role !== "tool") &&
      messages.some(({ content }) => packageIn(content) !== undefined),
  );
  let withRule = 0;
  for (const { system, messages } of first) {
    const said = messages;
    const text = [system, ...said.map(({ content }) => content)].join("\n");
    if (text.includes(rule)) withRule += 1;
    const talk = talks.find(({ request }) => said.at(-1)?.content.includes(request) === true);
    check(talk !== undefined, `the last message is a recorded request: ${said.at(-1)?.content.slice(-200)}`);
    check(!talks.some(({ correction }) => text.includes(correction)), "no correction is shown to the agent");
    const earlier =
      talk?.opening === undefined
        ? []
        : [
            ["user", talk.opening],
            ["assistant", openingAnswer],
          ];
    const had = said.filter(({ content }) => content === talk?.opening || content === openingAnswer);
    check(
      JSON.stringify(had.map(({ role, content }) => [role, content])) === JSON.stringify(earlier),
      "the turns before it match the recording",
    );
  }
  const looks = requests.flatMap(({ messages }) => messages.filter(({ role }) => role === "tool").slice(-1));
  check(
    first.length > 0 && looks.length === first.length,
    `each rollout looked at the project: ${looks.length} of ${first.length}`,
  );
  for (const { content } of looks)
    check(
      content.includes(commit) && content.includes("greet();"),
      `at the recorded commit: ${content.slice(0, 200)}`,
    );
  check(2 * withRule === first.length, `half of the rollouts have the rule: ${withRule} of ${first.length}`);
  check(
    /wouldn't have had to say it in (\d) of \1 conversations/.test(reviewed),
    "the review says in how many conversations it would have helped",
  );
  const report = readReport(projectState(project));
  check(
    report.includes("the judge can't tell why you corrected it"),
    "a conversation that can't be judged is left out by name",
  );
  check(hashFolder(project) === before, "the project is byte for byte the same");
  return { talks: talks.length, rollouts: first.length, withRule, problems };
}

/** The talks, held with the real agent against a scripted model. */
async function record(
  agent: TalkAgent,
  { project, env }: { readonly project: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  const queue: { text: string }[] = [];
  await using server = await startScriptedServer({
    seed: 1,
    world: {
      reply: ({ tools }) => (tools.length === 0 ? { text: "title" } : (queue.shift() ?? { text: "ok" })),
    },
  });
  for (const { opening, request, correction, answers } of talksWith(agent)) {
    const turns = [
      ...(opening === undefined ? [] : [[opening, openingAnswer] as const]),
      [request, answers[0]] as const,
      [correction, answers[1]] as const,
    ];
    let session = "";
    for (const [prompt, answer] of turns) {
      const done = prompt === request ? [callOf(agent, "echo '{}' > package.json")] : [];
      queue.splice(0, queue.length, ...done, { text: answer });
      const printed = await sayTo(agent, prompt, { session, url: server.url, cwd: project, env });
      session ||= sessionIn(printed);
      if (session === "" || queue.length > 0) throw new Error(`${agent}: ${printed.slice(-500)}`);
    }
    rmSync(join(project, "package.json"), { force: true });
  }
}

function readReport(journalDir: string): string {
  const folder = join(journalDir, "sleep", "nights");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("report.md"))
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("\n");
}
