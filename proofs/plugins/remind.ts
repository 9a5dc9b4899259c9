import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ChatWorld, startScriptedServer } from "../../src/testing/index.ts";
import { drawCalls, habits } from "../../test/support/reminders/corpus.ts";
import { projectState } from "../../test/support/project-state.ts";
import { runProgram } from "../support/run-program.ts";
import { hosts, writeFiles } from "./hosts.ts";

export interface Reminded {
  readonly relapses: number;
  readonly stopped: number;
  readonly others: number;
  readonly wrong: number;
}

function claude(): (typeof hosts)[number] {
  const host = hosts.find(({ name }) => name === "claude-code");
  if (host === undefined) throw new Error("Claude Code isn't a host.");
  return host;
}

/**
 * Has the real Claude Code make these calls: each habit's relapses, and others. Programs that could do anything beyond the
 * project are replaced by ones that do nothing.
 */
export async function remindClaude(
  home: string,
  env: Readonly<Record<string, string>>,
  { relapses, others }: Pick<Reminded, "relapses" | "others">,
): Promise<Reminded> {
  const host = claude();
  const project = join(home, "projects/reminded");
  mkdirSync(join(project, "app"), { recursive: true });
  // as `whetstone adopt` writes it
  const lines = habits.map(
    ({ pattern, rule }) =>
      `- Stop before ${pattern.endsWith("/") ? "writing" : "running"} \`${pattern}\`: ${rule}\n`,
  );
  writeFiles(join(projectState(project, home), "sleep"), { "reminders.md": lines.join("") });
  const seen: { readonly isRelapse: boolean; readonly isStopped: boolean }[] = [];
  for (const habit of habits) {
    const share = (all: number) => Math.ceil(all / habits.length);
    const drawn = drawCalls(habit, { relapses: share(relapses), others: share(others) }, 7, {
      agent: "claude-code",
      project,
      isMixed: false,
    });
    const calls = [
      ...drawn.relapses.map((call) => ({ ...call, isRelapse: true })),
      ...drawn.others.map((call) => ({ ...call, isRelapse: false })),
    ];
    // one conversation each, short enough that nothing of it is summed up
    for (let at = 0; at < calls.length; at += 200) {
      const own = calls.slice(at, at + 200);
      const results = await makeCalls(own, { project, home, env, host });
      seen.push(
        ...own.map(({ isRelapse }, nth) => ({
          isRelapse,
          isStopped: results[nth]?.includes("a reminder, not a wall") === true,
        })),
      );
    }
  }
  const count = (of: (one: (typeof seen)[number]) => boolean) => seen.filter(of).length;
  return {
    relapses: count(({ isRelapse }) => isRelapse),
    stopped: count(({ isRelapse, isStopped }) => isRelapse && isStopped),
    others: count(({ isRelapse }) => !isRelapse),
    wrong: count(({ isRelapse, isStopped }) => !isRelapse && isStopped),
  };
}

export interface Ended {
  /** Conversations that end without the command although files changed, and how many times the agent was told. */
  readonly missing: number;
  readonly told: number;
  /** Others, and those that were told. */
  readonly others: number;
  readonly wrong: number;
}

/** Has the real Claude Code end conversations, each going on once, with a reminder of a command that must run. */
export async function endClaude(home: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const host = claude();
  const ended = { missing: 0, told: 0, others: 0, wrong: 0 };
  const [write, lint, look] = [
    { tool: "Write", input: { file_path: "cart.ts", content: "x\n" } },
    { tool: "Bash", input: { command: "cd . && make lint", description: "Check" } },
    { tool: "Bash", input: { command: "echo make lint", description: "Look" } },
  ] as const;
  const cases = [[write], [look, write], [write, lint], [lint, write], [look]];
  for (const [at, calls] of cases.entries()) {
    const project = join(home, `projects/ended-${at}`);
    mkdirSync(project, { recursive: true });
    writeFiles(join(projectState(project, home), "sleep"), {
      "reminders.md": "- Stop before finishing without `make lint`: Run `make lint` before you finish.\n",
    });
    const own = calls.map(({ tool, input }) => ({
      tool,
      input: tool === "Write" ? { ...input, file_path: join(project, "cart.ts") } : input,
    }));
    let told = 0;
    const isTold = ({ content }: { readonly content: string }) =>
      content.includes("before finishing without");
    for (const more of [[], ["--continue"]])
      await runClaude(
        {
          reply({ messages, tools }) {
            if (tools.length === 0) return { text: "ends" };
            told = messages.filter(isTold).length;
            const next = own[messages.filter(({ role }) => role === "tool").length];
            if (next === undefined) return { text: "That is all." };
            return { text: "", toolCalls: [{ name: next.tool, arguments: Object(next.input) }] };
          },
        },
        { project, home, env, host, more },
      );
    const isMissing = own.some(({ tool }) => tool === "Write") && !calls.includes(lint as never);
    ended[isMissing ? "missing" : "others"] += 1;
    ended[isMissing ? "told" : "wrong"] += told;
  }
  return ended;
}

interface Run {
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly host: (typeof hosts)[number];
  /** @default none */
  readonly more?: readonly string[];
}

/** What came back of each call, in order. */
async function makeCalls(
  calls: readonly { readonly tool: string; readonly input: unknown }[],
  run: Run,
): Promise<readonly string[]> {
  let results: readonly string[] = [];
  const printed = await runClaude(
    {
      reply({ messages, tools }) {
        if (tools.length === 0) return { text: "calls" };
        results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
        const next = calls.slice(results.length, results.length + 10);
        return {
          text: next.length === 0 ? "That is all." : "",
          toolCalls: next.map(({ tool, input }) => ({ name: tool, arguments: Object(input) })),
        };
      },
    },
    run,
  );
  if (results.length !== calls.length)
    throw new Error(`${results.length} of ${calls.length} calls were made: ${printed.slice(-600)}`);
  return results;
}

/** What it printed. */
async function runClaude(world: ChatWorld, { project, home, env, host, more = [] }: Run): Promise<string> {
  await using server = await startScriptedServer({ seed: 1, world });
  const stubs = "npm pnpm npx git sudo curl timeout make".split(" ");
  writeFiles(home, Object.fromEntries(stubs.map((name) => [`stubs/${name}`, "#!/bin/sh\nexit 0\n"])));
  await runProgram("chmod", ["-R", "+x", join(home, "stubs")], { cwd: home, env });
  const { code, printed } = await runProgram(
    host.program,
    [...host.args(server.url).map((word) => (word === "/whetstone:status" ? "Go." : word)), ...more],
    {
      cwd: project,
      env: { ...env, ...host.env(server.url), PATH: `${join(home, "stubs")}:${env["PATH"]}` },
      mostMs: 600_000,
    },
  );
  if (code !== 0) throw new Error(`Claude Code ended with ${code}: ${printed.slice(-600)}`);
  return printed;
}
