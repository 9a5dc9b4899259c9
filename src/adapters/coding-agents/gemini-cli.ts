import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PluginHost, versionIn } from "../plugins/plugin-host.ts";
import { geminiCliSource } from "../transcripts/readers/gemini-cli.ts";
import { type AgentHost, agentFolder, type CodingAgent } from "./coding-agent.ts";

const folderOf = (host: AgentHost): string => join(agentFolder(host, "GEMINI_CLI_HOME", "."), ".gemini");

/** It copies an extension from a folder. */
const plugin: PluginHost = {
  firstWords: "/whetstone:status",
  places: (place) =>
    ["extensions", "extension_integrity.json", "settings.json", "trustedFolders.json"].map((name) =>
      join(folderOf(place), name),
    ),
  find: async (place) => versionIn(join(folderOf(place), "extensions", "whetstone", "gemini-extension.json")),
  install: async ({ run, folder }) => {
    const staged = await stage(folder);
    try {
      // the user who typed this trusts the folder the command is from; otherwise it would ask, even with nobody there
      await run(["extensions", "install", "--consent", staged], { GEMINI_CLI_TRUST_WORKSPACE: "true" });
    } finally {
      await rm(staged, { recursive: true, force: true });
    }
  },
  uninstall: async ({ run }) => {
    await run(["extensions", "uninstall", "whetstone"]);
  },
};

export const geminiCli: CodingAgent<"gemini-cli"> = {
  name: "gemini-cli",
  label: "Gemini CLI",
  program: { name: "gemini", packageName: "@google/gemini-cli", variables: ["GEMINI_CLI"] },
  reads: { files: ["GEMINI.md"], followsImports: true },
  memory: ".gemini/GEMINI.md",
  ownMemory: undefined,
  secrets: [".gemini/oauth_creds.json", ".gemini/.env"],
  skills: { project: [".gemini/skills"], home: [] },
  cli: undefined,
  transcripts: (host, place = folderOf(host)) => geminiCliSource({ home: place }),
  plugin,
};

/** The plugin parts it reads. Claude Code would also read hooks of this name, so we add them here. */
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
