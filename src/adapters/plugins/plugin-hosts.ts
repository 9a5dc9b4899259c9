import { geminiHost } from "./gemini-cli.ts";
import type { PluginHostName } from "./host-names.ts";
import { claudeHost, codexHost, copilotHost } from "./marketplaces.ts";
import { opencodeHost } from "./opencode.ts";
import { piHost } from "./pi.ts";
import type { PluginHost } from "./plugin-host.ts";

export const pluginHosts: Readonly<Record<PluginHostName, PluginHost>> = {
  "claude-code": claudeHost,
  codex: codexHost,
  "copilot-cli": copilotHost,
  "gemini-cli": geminiHost,
  opencode: opencodeHost,
  pi: piHost,
};
