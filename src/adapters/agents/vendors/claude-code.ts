import type { AgentCli, CliTask, PreparedCli } from "../agent-cli.ts";
import { dummyKey } from "../agent-cli.ts";
import { claudeReader } from "./claude-events.ts";
import { installSkills } from "../install-skills.ts";
import { connectClaude } from "./claude-login.ts";

/** Anthropic's Claude Code, `claude -p`. */
export const claudeCode: AgentCli = {
  name: "claude-code",
  program: "claude",
  packageName: "@anthropic-ai/claude-code",
  login: "claude /login",
  provider: () => "anthropic",
  connect: connectClaude,
  prepare,
  createReader: claudeReader,
};

function prepare(task: CliTask): PreparedCli {
  const { files, executable } = installSkills(".claude/skills", task.skills);
  return {
    home: {
      ...files,
      ...(task.instructions === undefined ? {} : { ".claude/CLAUDE.md": task.instructions }),
      ...(task.system === undefined ? {} : { [systemFile]: task.system }),
    },
    executable,
    command: (inside, program) => ({
      argv: [program, ...argumentsFor(task, `${inside.home}/${systemFile}`)],
      env: {
        ...quiet,
        CLAUDE_CONFIG_DIR: `${inside.home}/.claude`,
        ANTHROPIC_BASE_URL: inside.baseUrl,
        // with a login the CLI must know that it is one: its requests differ
        [task.pays === "login" ? "CLAUDE_CODE_OAUTH_TOKEN" : "ANTHROPIC_API_KEY"]: dummyKey,
        ...(task.maxTokens === undefined ? {} : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(task.maxTokens) }),
        // thinking would be taken from the answer's own tokens
        ...(task.toolless ? { MAX_THINKING_TOKENS: "0" } : {}),
      },
      stdin: task.prompt,
    }),
  };
}

/** A file, because an argument may not be longer than 128 kB. */
const systemFile = ".claude/system.md";

function argumentsFor(task: CliTask, system: string): readonly string[] {
  return [
    ..."-p --output-format stream-json --verbose --no-session-persistence --strict-mcp-config".split(" "),
    // hooks and settings of the workspace would run without a question; skills are installed for the user instead
    ..."--permission-mode bypassPermissions --setting-sources user".split(" "),
    "--model",
    task.model,
    "--max-turns",
    String(task.turns),
    "--tools",
    task.toolless ? "" : "Bash,Read,Write,Edit,Skill",
    ...(task.toolless ? ["--disable-slash-commands"] : []),
    ...(task.system === undefined ? [] : ["--system-prompt-file", system]),
  ];
}

/** Nothing but model calls, few retries, and no answer asked for twice behind our back. */
const quiet = {
  IS_SANDBOX: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: "1",
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
} as const;
