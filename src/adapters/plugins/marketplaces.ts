import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../atomic-file.ts";
import { agentFolder, type PluginHost, type PluginPlace } from "./plugin-host.ts";

/** Both are called as we are, so its id is this everywhere. */
const id = "whetstone@whetstone";

/** An agent that takes plugins from marketplaces: our package's folder is one. */
interface Marketplace extends Omit<PluginHost, "find" | "install" | "uninstall"> {
  /** What the agent calls taking a plugin and giving it back. */
  readonly words: readonly [take: string, give: string];
  /** The plugins in its list, as it prints them. */
  readonly read: (printed: unknown) => readonly Listed[];
  /** What its own command leaves behind. */
  readonly clear: (place: PluginPlace) => Promise<void>;
}

interface Listed {
  readonly id: string;
  readonly version: string;
}

const marketplace = ({ words: [take, give], read, clear, ...host }: Marketplace): PluginHost => ({
  ...host,
  find: async ({ ask }) =>
    read(JSON.parse(await ask(["plugin", "list", "--json"]))).find((plugin) => plugin.id === id)?.version,
  install: async ({ run, root }) => {
    await run(["plugin", "marketplace", "add", root]);
    await run(["plugin", take, id]);
  },
  uninstall: async (place) => {
    try {
      await place.run(["plugin", give, id]);
    } finally {
      // it fails where an install did not come so far, and the rest is there all the same
      await place.run(["plugin", "marketplace", "remove", "whetstone"]);
      await clear(place);
    }
  },
});

export const claudeHost = marketplace({
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  packageName: "@anthropic-ai/claude-code",
  firstWords: "/whetstone:status",
  places: (place) => ["settings.json", "plugins"].map((name) => join(claudeFolder(place), name)),
  words: ["install", "uninstall"],
  read: (printed) => z.array(z.object({ id: z.string(), version: z.string() })).parse(printed),
  // it would keep its copy for a week
  clear: (place) => removeCopy(claudeFolder(place)),
});

export const codexHost = marketplace({
  name: "codex",
  title: "Codex",
  program: "codex",
  packageName: "@openai/codex",
  firstWords: "$whetstone how do things stand?",
  places: (place) => ["config.toml", "plugins"].map((name) => join(codexFolder(place), name)),
  words: ["add", "remove"],
  read: (printed) =>
    z
      .object({ installed: z.array(z.object({ pluginId: z.string(), version: z.string() })) })
      .parse(printed)
      .installed.map(({ pluginId, version }) => ({ id: pluginId, version })),
  // it leaves the folder, empty
  clear: (place) => removeCopy(codexFolder(place)),
});

export const copilotHost = marketplace({
  name: "copilot-cli",
  title: "Copilot CLI",
  program: "copilot",
  packageName: "@github/copilot",
  firstWords: "How does Whetstone stand here?",
  places: (place) => ["settings.json", "installed-plugins"].map((name) => join(copilotFolder(place), name)),
  words: ["install", "uninstall"],
  read: (printed) =>
    z
      .array(z.object({ name: z.string(), marketplace: z.string(), version: z.string() }))
      .parse(printed)
      .map(({ name, marketplace: from, version }) => ({ id: `${name}@${from}`, version })),
  // it would remember for ever that it is off
  clear: (place) => forgetSwitch(join(copilotFolder(place), "settings.json")),
});

const claudeFolder = (place: PluginPlace): string => agentFolder(place, "CLAUDE_CONFIG_DIR", ".claude");
const copilotFolder = (place: PluginPlace): string => agentFolder(place, "COPILOT_HOME", ".copilot");
const codexFolder = (place: PluginPlace): string => agentFolder(place, "CODEX_HOME", ".codex");

const removeCopy = (folder: string): Promise<void> =>
  rm(join(folder, "plugins", "cache", "whetstone"), { recursive: true, force: true });

/** Takes our entry out of `enabledPlugins`; settings that are no plain JSON are left as they are. */
async function forgetSwitch(file: string): Promise<void> {
  const settings = await readFile(file, "utf8")
    .then((text) =>
      z.looseObject({ enabledPlugins: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text)),
    )
    .catch(() => undefined);
  if (settings === undefined || !(id in settings.enabledPlugins)) return;
  const { [id]: _ours, ...enabledPlugins } = settings.enabledPlugins;
  await writeFileAtomic(file, `${JSON.stringify({ ...settings, enabledPlugins }, null, 2)}\n`);
}
