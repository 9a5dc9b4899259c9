import { startScriptedServer } from "../../src/testing/index.ts";
import { hosts } from "../plugins/hosts.ts";
import { runProgram, whetstoneOnPath } from "../support/run-program.ts";

export interface ClaudeScene {
  /** Whether Claude Code found the server in good health. */
  readonly isConnected: boolean;
  /** What its model was given for each call, in their order. */
  readonly answers: readonly string[];
}

/** The real Claude Code, with the server added by its own command; a script in the place of its model calls these tools. */
export async function claudeScene(
  home: string,
  project: string,
  calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, string>> }[],
): Promise<ClaudeScene> {
  const host = hosts.find(({ name }) => name === "claude-code");
  const answers: string[] = [];
  await using server = await startScriptedServer({
    seed: 1,
    world: {
      reply({ messages, tools }) {
        if (tools.length === 0) return { text: "status" };
        const results = messages.filter(({ role }) => role === "tool");
        answers.splice(0, Infinity, ...results.map(({ content }) => content));
        const next = calls[results.length];
        if (next === undefined) return { text: "That is all." };
        return { text: "", toolCalls: [{ ...next, name: `mcp__whetstone__${next.name}` }] };
      },
    },
  });
  const env = { PATH: whetstoneOnPath(home), HOME: home, LANG: "C.UTF-8", ...host?.env(server.url) };
  const claude = (...args: readonly string[]) => runProgram("claude", args, { cwd: project, env });
  await claude("mcp", "add", "whetstone", "--", "whetstone", "mcp");
  const { printed } = await claude("mcp", "list");
  const how = "--model claude-sonnet-4-5 --permission-mode bypassPermissions".split(" ");
  await claude("-p", "How do things stand?", ...how);
  return { isConnected: /whetstone.*Connected/.test(printed), answers };
}
