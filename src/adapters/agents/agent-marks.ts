import { basename } from "node:path";

/**
 * By what a coding agent is recognized: its program, the variables that it sets for commands that it starts, and the npm
 * package where an interpreter runs it. Read from the programs themselves where they run here (the first seven).
 */
const agentMarks: readonly (readonly [
  title: string,
  program: string,
  variables: string,
  packageName?: string,
])[] = [
  ["Claude Code", "claude", "CLAUDECODE", "@anthropic-ai/claude-code"],
  ["Codex", "codex", "CODEX_THREAD_ID CODEX_CI CODEX_SANDBOX", "@openai/codex"],
  ["Copilot CLI", "copilot", "COPILOT_CLI COPILOT_AGENT_SESSION_ID", "@github/copilot"],
  ["Gemini CLI", "gemini", "GEMINI_CLI", "@google/gemini-cli"],
  ["OpenCode", "opencode", "OPENCODE", "opencode-ai"],
  ["pi", "pi", "PI_CODING_AGENT", "@mariozechner/pi-coding-agent"],
  ["Qwen Code", "qwen", "QWEN_CODE", "@qwen-code/qwen-code"],
  ["Cursor", "cursor-agent", "CURSOR_AGENT"],
  ["Cline", "cline", "CLINE_ACTIVE"],
  ["Goose", "goose", "GOOSE_TERMINAL"],
  ["Augment", "auggie", "AUGMENT_AGENT", "@augmentcode/auggie"],
  ["Antigravity", "", "ANTIGRAVITY_AGENT"],
  ["Amp", "amp", "", "@sourcegraph/amp"],
  ["Aider", "aider", ""],
  // what agents agreed on
  ["an agent", "", "AI_AGENT AGENT"],
];

/** The agent that set one of these variables, and which. */
export function markIn(variables: Iterable<string>): { title: string; variable: string } | undefined {
  const set = new Set(variables);
  for (const [title, , marks] of agentMarks) {
    const variable = marks.split(" ").find((mark) => mark !== "" && set.has(mark));
    if (variable !== undefined) return { title, variable };
  }
  return undefined;
}

/** The agent that a process is, by its name or by what its interpreter runs. */
export function agentOf(name: string, [started = "", ...words]: readonly string[]): string | undefined {
  const isInterpreted = /^(?:node|bun|deno|python)[\d.]*$/.test(plain(started));
  const scripts = isInterpreted ? words.slice(0, 6).filter((word) => !word.startsWith("-")) : [];
  const names = [name, plain(started), plain(scripts[0] ?? "")].filter((one) => one !== "");
  const isOf = (packageName = "") =>
    packageName !== "" && scripts.some((word) => slashed(word).includes(`/node_modules/${packageName}/`));
  return agentMarks.find(([, program, , packageName]) => names.includes(program) || isOf(packageName))?.[0];
}

const slashed = (path: string): string => path.replaceAll("\\", "/");
const plain = (path: string): string => basename(slashed(path)).replace(/\.(?:exe|[cm]?js|py)$/i, "");
