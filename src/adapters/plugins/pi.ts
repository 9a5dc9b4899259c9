import { readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { z } from "zod";
import { agentFolder, type PluginHost, type PluginPlace, versionIn } from "./plugin-host.ts";

/** pi loads a package from where it is, and remembers the path. */
export const piHost: PluginHost = {
  name: "pi",
  title: "pi",
  program: "pi",
  packageName: "@mariozechner/pi-coding-agent",
  firstWords: "/whetstone-status",
  places: (place) => [settingsFile(place)],
  find: async (place) => {
    const [folder] = installedFolders(place);
    return folder === undefined
      ? undefined
      : (versionIn(join(folder, ".claude-plugin", "plugin.json")) ?? "of a folder that is gone");
  },
  install: async ({ run, folder }) => {
    await run(["install", folder]);
  },
  uninstall: async (place) => {
    for (const folder of installedFolders(place)) await place.run(["remove", folder]);
  },
};

const piFolder = (place: PluginPlace): string => agentFolder(place, "PI_CODING_AGENT_DIR", ".pi/agent");
const settingsFile = (place: PluginPlace): string => join(piFolder(place), "settings.json");

const settingsSchema = z.object({
  packages: z.array(z.union([z.string(), z.object({ source: z.string() })])).default([]),
});

/** Paths in its settings are meant from the folder of the settings. */
function installedFolders(place: PluginPlace): readonly string[] {
  try {
    const { packages } = settingsSchema.parse(JSON.parse(readFileSync(settingsFile(place), "utf8")));
    return packages
      .map((one) => resolve(piFolder(place), typeof one === "string" ? one : one.source))
      .filter((path) => path.endsWith(join(sep, "plugins", "whetstone")));
  } catch {
    return [];
  }
}
