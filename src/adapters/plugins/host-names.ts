/** The agents that our plugin can be installed in. */
export const pluginHostNames = [
  "claude-code",
  "codex",
  "copilot-cli",
  "gemini-cli",
  "opencode",
  "pi",
] as const;

export type PluginHostName = (typeof pluginHostNames)[number];
