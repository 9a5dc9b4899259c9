/** Ways Whetstone can use a coding agent: run it headless, read its conversations, install the plugin in it. */
type Ability = "cli" | "transcripts" | "plugin";

/**
 * Every coding agent that Whetstone supports, in the order in which conversations are read. The code is in
 * `adapters/coding-agents/<name>.ts`. An ability listed here and missing there is a type error, and vice versa.
 */
const abilities = {
  "claude-code": ["cli", "transcripts", "plugin"],
  codex: ["cli", "transcripts", "plugin"],
  opencode: ["cli", "transcripts", "plugin"],
  cursor: ["transcripts"],
  "copilot-cli": ["transcripts", "plugin"],
  pi: ["cli", "transcripts", "plugin"],
  "gemini-cli": ["transcripts", "plugin"],
  "qwen-code": ["transcripts"],
} as const satisfies Readonly<Record<string, readonly Ability[]>>;

export type CodingAgentName = keyof typeof abilities;

/** The agents with one of these abilities. */
export type AgentsWith<Can extends Ability> = {
  [Name in CodingAgentName]: Can extends (typeof abilities)[Name][number] ? Name : never;
}[CodingAgentName];

export const codingAgentNames = Object.keys(abilities) as readonly CodingAgentName[];

export const agentsWith = <Can extends Ability>(can: Can): readonly AgentsWith<Can>[] =>
  codingAgentNames.filter((name): name is AgentsWith<Can> =>
    (abilities[name] as readonly Ability[]).includes(can),
  );

export type PluginHostName = AgentsWith<"plugin">;

/** Sorted, because people look for their agent in this list. */
export const pluginHostNames: readonly PluginHostName[] = agentsWith("plugin").toSorted();
