import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../atomic-file.ts";
import { agentFolder, type PluginHost, type PluginPlace } from "./plugin-host.ts";

/** Both are called as we are, so its id is this everywhere. */
const id = "whetstone@whetstone";

/** Agents that take plugins from marketplaces: our package's folder is one. */
export const claudeHost: PluginHost = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  packageName: "@anthropic-ai/claude-code",
  firstWords: "/whetstone:status",
  places: (place) => ["settings.json", "plugins"].map((name) => join(claudeFolder(place), name)),
  find: async ({ ask }) => {
    const listed = z.array(z.object({ id: z.string(), version: z.string() }));
    const plugins = listed.parse(JSON.parse(await ask(["plugin", "list", "--json"])));
    return plugins.find((plugin) => plugin.id === id)?.version;
  },
  install: async ({ run, root }) => {
    await run(["plugin", "marketplace", "add", root]);
    await run(["plugin", "install", id]);
  },
  uninstall: async (place) => {
    await place.run(["plugin", "uninstall", id]);
    await place.run(["plugin", "marketplace", "remove", "whetstone"]);
    // it would keep its copy for a week
    await removeCopy(claudeFolder(place));
  },
};

export const codexHost: PluginHost = {
  name: "codex",
  title: "Codex",
  program: "codex",
  packageName: "@openai/codex",
  firstWords: "$whetstone how do things stand?",
  places: (place) => ["config.toml", "plugins"].map((name) => join(codexFolder(place), name)),
  find: async ({ ask }) => {
    const listed = z.object({ installed: z.array(z.object({ pluginId: z.string(), version: z.string() })) });
    const { installed } = listed.parse(JSON.parse(await ask(["plugin", "list", "--json"])));
    return installed.find(({ pluginId }) => pluginId === id)?.version;
  },
  install: async ({ run, root }) => {
    await run(["plugin", "marketplace", "add", root]);
    await run(["plugin", "add", id]);
  },
  uninstall: async (place) => {
    await place.run(["plugin", "remove", id]);
    await place.run(["plugin", "marketplace", "remove", "whetstone"]);
    // it leaves the folder, empty
    await removeCopy(codexFolder(place));
  },
};

export const copilotHost: PluginHost = {
  name: "copilot-cli",
  title: "Copilot CLI",
  program: "copilot",
  packageName: "@github/copilot",
  firstWords: "How does Whetstone stand here?",
  places: (place) => ["settings.json", "installed-plugins"].map((name) => join(copilotFolder(place), name)),
  find: async ({ ask }) => {
    const listed = z.array(z.object({ name: z.string(), marketplace: z.string(), version: z.string() }));
    const plugins = listed.parse(JSON.parse(await ask(["plugin", "list", "--json"])));
    return plugins.find(({ name, marketplace }) => `${name}@${marketplace}` === id)?.version;
  },
  install: async ({ run, root }) => {
    await run(["plugin", "marketplace", "add", root]);
    await run(["plugin", "install", id]);
  },
  uninstall: async (place) => {
    await place.run(["plugin", "uninstall", id]);
    await place.run(["plugin", "marketplace", "remove", "whetstone"]);
    // it would remember for ever that it is off
    await forgetSwitch(join(copilotFolder(place), "settings.json"));
  },
};

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
