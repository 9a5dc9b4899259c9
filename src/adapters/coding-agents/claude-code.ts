import { join } from "node:path";
import { z } from "zod";
import { type CliTask, dummyKey, type PreparedCli } from "../agents/agent-cli.ts";
import { installSkills } from "../agents/install-skills.ts";
import { claudeReader } from "../agents/vendors/claude-events.ts";
import { claudeTranscript } from "../agents/vendors/earlier-transcripts.ts";
import { connectClaude } from "../agents/vendors/claude-login.ts";
import { marketplace, removeCopy } from "../plugins/marketplace.ts";
import { readOwnMemory } from "../read-own-memory.ts";
import { claudeCodeSource } from "../transcripts/readers/claude-code.ts";
import { mainWorktree, repositoryOf } from "../workspaces/main-worktree.ts";
import { type AgentHost, agentFolder, type CodingAgent } from "./coding-agent.ts";

const folderOf = (host: AgentHost): string => agentFolder(host, "CLAUDE_CONFIG_DIR", ".claude");

/** Anthropic's Claude Code, `claude -p`. */
export const claudeCode: CodingAgent<"claude-code"> = {
  name: "claude-code",
  label: "Claude Code",
  program: { name: "claude", packageName: "@anthropic-ai/claude-code", variables: ["CLAUDECODE"] },
  reads: { files: ["CLAUDE.md", ".claude/CLAUDE.md"], followsImports: true },
  memory: ".claude/CLAUDE.md",
  // worktrees and subfolders share their repository's memory
  ownMemory: (host, project, place = folderOf(host)) =>
    readOwnMemory(join(place, "projects", folderNameOf(repositoryOf(mainWorktree(project))), "memory")),
  secrets: [".claude/.credentials.json", ".claude.json"],
  skills: { project: [".claude/skills"], home: [] },
  cli: {
    login: "claude /login",
    vendor: {
      provider: "anthropic",
      addresses: ["https://api.anthropic.com/v1"],
      variables: ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
    },
    connect: connectClaude,
    resumes: true,
    prepare,
    createReader: claudeReader,
  },
  transcripts: (host, place = folderOf(host)) => claudeCodeSource({ home: place }),
  plugin: marketplace({
    firstWords: "/whetstone:status",
    places: (place) => ["settings.json", "plugins"].map((name) => join(folderOf(place), name)),
    words: ["install", "uninstall"],
    read: (printed) => z.array(z.object({ id: z.string(), version: z.string() })).parse(printed),
    // otherwise it would keep its copy for a week
    clear: (place) => removeCopy(folderOf(place)),
  }),
};

/** Claude Code's name for a project's folder; a longer path ends in a hash. */
const folderNameOf = (path: string): string => path.replaceAll(/[^a-zA-Z0-9]/g, "-");

function prepare(task: CliTask): PreparedCli {
  const { files, executable } = installSkills(".claude/skills", task.skills);
  return {
    home: {
      ...files,
      ...(task.instructions === undefined ? {} : { ".claude/CLAUDE.md": task.instructions }),
      ...(task.system === undefined ? {} : { [systemFile]: task.system }),
      ...(task.before === undefined ? {} : { [earlierFile]: claudeTranscript(task.before) }),
    },
    executable,
    command: (inside, program) => ({
      argv: [
        program,
        ...argumentsFor(task, `${inside.home}/${systemFile}`),
        ...(task.before === undefined ? [] : ["--resume", `${inside.home}/${earlierFile}`]),
      ],
      env: {
        ...quiet,
        CLAUDE_CONFIG_DIR: `${inside.home}/.claude`,
        ANTHROPIC_BASE_URL: inside.baseUrl,
        // the CLI must know that it uses a login, because its requests then differ
        [task.pays === "login" ? "CLAUDE_CODE_OAUTH_TOKEN" : "ANTHROPIC_API_KEY"]: dummyKey,
        ...(task.maxTokens === undefined ? {} : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(task.maxTokens) }),
        // thinking would use up the answer's own tokens
        ...(task.toolless ? { MAX_THINKING_TOKENS: "0" } : {}),
      },
      stdin: task.prompt,
    }),
  };
}

const earlierFile = ".claude/earlier.jsonl";

/** A file, because an argument can't be longer than 128 kB. */
const systemFile = ".claude/system.md";

function argumentsFor(task: CliTask, system: string): readonly string[] {
  return [
    ..."-p --output-format stream-json --verbose --no-session-persistence --strict-mcp-config".split(" "),
    // the workspace's hooks and settings would run without asking; skills are installed for the user instead
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

/** Only model calls, few retries, and no answer requested twice without our knowledge. */
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
