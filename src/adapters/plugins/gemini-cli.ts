import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentFolder, type PluginHost, type PluginPlace, versionIn } from "./plugin-host.ts";

/** Gemini CLI copies an extension from a folder. */
export const geminiHost: PluginHost = {
  name: "gemini-cli",
  title: "Gemini CLI",
  program: "gemini",
  packageName: "@google/gemini-cli",
  firstWords: "/whetstone:status",
  places: (place) =>
    ["extensions", "extension_integrity.json", "settings.json", "trustedFolders.json"].map((name) =>
      join(geminiFolder(place), name),
    ),
  find: async (place) =>
    versionIn(join(geminiFolder(place), "extensions", "whetstone", "gemini-extension.json")),
  install: async ({ run, folder }) => {
    const staged = await stage(folder);
    try {
      // whoever typed this trusts the folder that the command itself is from; without this it would ask, also nobody
      await run(["extensions", "install", "--consent", staged], { GEMINI_CLI_TRUST_WORKSPACE: "true" });
    } finally {
      await rm(staged, { recursive: true, force: true });
    }
  },
  uninstall: async ({ run }) => {
    await run(["extensions", "uninstall", "whetstone"]);
  },
};

const geminiFolder = (place: PluginPlace): string =>
  join(agentFolder(place, "GEMINI_CLI_HOME", "."), ".gemini");

/** What it reads of the plugin. Its hooks have a name that Claude Code would read too, so they get it here. */
async function stage(folder: string): Promise<string> {
  const staged = await mkdtemp(join(tmpdir(), "whetstone-extension-"));
  for (const part of [
    "gemini-extension.json",
    "commands",
    "hooks",
    "policies",
    "skills",
    "README.md",
    "LICENSE",
  ])
    await cp(join(folder, part), join(staged, part), { recursive: true });
  await rename(join(staged, "hooks", "gemini.json"), join(staged, "hooks", "hooks.json"));
  return staged;
}
