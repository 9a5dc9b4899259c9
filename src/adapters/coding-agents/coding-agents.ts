import { type CodingAgentName, codingAgentNames } from "../../core/coding-agents.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import type { CodingAgent } from "./coding-agent.ts";
import { copilotCli } from "./copilot-cli.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";

/** Every table about coding agents is built from this one. */
export const codingAgents: { readonly [Name in CodingAgentName]: CodingAgent<Name> } = {
  "claude-code": claudeCode,
  codex,
  opencode,
  cursor,
  "copilot-cli": copilotCli,
  pi,
  "gemini-cli": geminiCli,
  "qwen-code": qwenCode,
};

export const allCodingAgents: readonly CodingAgent[] = codingAgentNames.map((name) => codingAgents[name]);

/** The folders where agents look for skills, in a project or in the user's home. */
export const agentSkillFolders: readonly string[] = [
  ...new Set(allCodingAgents.flatMap(({ skills }) => skills.project)),
];
