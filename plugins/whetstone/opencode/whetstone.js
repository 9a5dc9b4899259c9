// OpenCode: these commands need a person's word, and refuse to run under an agent anyway.
const commands = [
  "adopt",
  "undo",
  "trust",
  "journal move",
  "sleep init",
  "sleep schedule",
  "sleep unschedule",
  "plugin install",
  "plugin uninstall",
];

export const Whetstone = async () => ({
  /** @param {{ permission?: unknown }} config */
  config: async (config) => {
    const byTool = rulesOf(config.permission);
    const denied = commands.map((command) => [`whetstone ${command}*`, "deny"]);
    // the last matching rule wins
    config.permission = { ...byTool, bash: { ...rulesOf(byTool["bash"]), ...Object.fromEntries(denied) } };
  },
});

/** A single word applies to everything. */
const rulesOf = (/** @type {unknown} */ rules) =>
  typeof rules === "string" ? { "*": rules } : /** @type {Record<string, unknown>} */ ({ ...rules });
