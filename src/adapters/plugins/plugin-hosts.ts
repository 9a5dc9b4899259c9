import { geminiCli } from "./gemini-cli.ts";
import type { PluginHostName } from "./host-names.ts";
import { claudeCode, codex, copilotCli } from "./marketplaces.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import type { PluginHost } from "./plugin-host.ts";

export const pluginHosts: Readonly<Record<PluginHostName, PluginHost>> = {
  "claude-code": claudeCode,
  codex,
  "copilot-cli": copilotCli,
  "gemini-cli": geminiCli,
  opencode,
  pi,
};
