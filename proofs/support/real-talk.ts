import { spawn } from "node:child_process";
import type { ScriptedReply } from "../../src/testing/index.ts";
import type { TalkAgent } from "../two-weeks/talks.ts";

export const callOf = (agent: TalkAgent, command: string): ScriptedReply => ({
  text: "",
  toolCalls: [
    agent === "codex"
      ? { name: "exec_command", arguments: { cmd: command } }
      : { name: "Bash", arguments: { command, description: "Run" } },
  ],
});

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  /** Of the environment. */
  readonly more: Readonly<Record<string, string>>;
}

/** The command line of a turn; `session` is empty for the first. */
function startOf(agent: TalkAgent, prompt: string, session: string, url: string): Start {
  if (agent === "claude-code")
    return {
      command: "claude",
      args: [
        "-p",
        prompt,
        "--output-format",
        "json",
        "--model",
        "claude-sonnet-4-5",
        "--permission-mode",
        "bypassPermissions",
        ...(session === "" ? [] : ["--resume", session]),
      ],
      more: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "sk-fake",
        IS_SANDBOX: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_MAX_RETRIES: "1",
      },
    };
  const provider = `{name="fake",base_url="${url}/v1",wire_api="responses",env_key="FAKE_KEY",request_max_retries=0,stream_max_retries=1}`;
  const options = [
    "--json",
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    "--disable",
    "plugins",
    "--disable",
    "apps",
    "-m",
    "gpt-5-codex",
    "-c",
    'model_provider="fake"',
    "-c",
    `model_providers.fake=${provider}`,
    "-c",
    "check_for_update_on_startup=false",
    "-c",
    "analytics.enabled=false",
  ];
  return {
    command: "codex",
    args: ["exec", ...(session === "" ? [...options, prompt] : ["resume", ...options, session, prompt])],
    more: { FAKE_KEY: "sk-fake" },
  };
}

/** Says something to a real agent, in a conversation that goes on where a session is named; gives what it printed. */
export function sayTo(
  agent: TalkAgent,
  prompt: string,
  {
    session,
    url,
    cwd,
    env,
  }: {
    /** Empty for a new one. */
    readonly session: string;
    /** Of the scripted server. */
    readonly url: string;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<string> {
  const { command, args, more } = startOf(agent, prompt, session, url);
  return run(command, args, { cwd, env: { ...env, ...more } });
}

export const sessionIn = (printed: string): string =>
  /"(?:session_id|thread_id)":"([^"]+)"/.exec(printed)?.[1] ?? "";

function run(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const late = setTimeout(() => child.kill(), 120_000);
    child.once("error", reject);
    child.once("close", () => {
      clearTimeout(late);
      resolve(printed);
    });
  });
}
