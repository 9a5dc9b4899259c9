import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
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

/**
 * Has the real Claude Code make these calls: each habit's relapses, and others. Programs that could do anything beyond the
 * project are replaced by ones that do nothing.
 */
export async function remindClaude(
  home: string,
  env: Readonly<Record<string, string>>,
  { relapses, others }: Pick<Reminded, "relapses" | "others">,
): Promise<Reminded> {
  const host = hosts.find(({ name }) => name === "claude-code");
  if (host === undefined) throw new Error("Claude Code isn't a host.");
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

/** What came back of each call, in order. */
async function makeCalls(
  calls: readonly { readonly tool: string; readonly input: unknown }[],
  {
    project,
    home,
    env,
    host,
  }: {
    readonly project: string;
    readonly home: string;
    readonly env: Readonly<Record<string, string>>;
    readonly host: (typeof hosts)[number];
  },
): Promise<readonly string[]> {
  let results: readonly string[] = [];
  await using server = await startScriptedServer({
    seed: 1,
    world: {
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
  });
  const stubs = "npm pnpm npx git sudo curl timeout".split(" ");
  writeFiles(home, Object.fromEntries(stubs.map((name) => [`stubs/${name}`, "#!/bin/sh\nexit 0\n"])));
  await runProgram("chmod", ["-R", "+x", join(home, "stubs")], { cwd: home, env });
  const { code, printed } = await runProgram(
    host.program,
    host.args(server.url).map((word) => (word === "/whetstone:status" ? "Go." : word)),
    {
      cwd: project,
      env: { ...env, ...host.env(server.url), PATH: `${join(home, "stubs")}:${env["PATH"]}` },
      mostMs: 600_000,
    },
  );
  if (code !== 0 || results.length !== calls.length)
    throw new Error(
      `${results.length} of ${calls.length} calls were made, exit ${code}: ${printed.slice(-600)}`,
    );
  return results;
}
