import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../atomic-file.ts";
import { marketplace, pluginId } from "../plugins/marketplace.ts";
import { copilotCliSource } from "../transcripts/readers/copilot-cli.ts";
import { type AgentHost, agentFolder, type CodingAgent } from "./coding-agent.ts";

const folderOf = (host: AgentHost): string => agentFolder(host, "COPILOT_HOME", ".copilot");

export const copilotCli: CodingAgent<"copilot-cli"> = {
  name: "copilot-cli",
  label: "Copilot CLI",
  program: {
    name: "copilot",
    packageName: "@github/copilot",
    variables: ["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
  },
  reads: { files: [".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"] },
  memory: ".copilot/copilot-instructions.md",
  ownMemory: undefined,
  secrets: [],
  skills: { project: [], home: [] },
  cli: undefined,
  transcripts: (host, place = folderOf(host)) => copilotCliSource({ home: place }),
  plugin: marketplace({
    firstWords: "How does Whetstone stand here?",
    places: (place) => ["settings.json", "installed-plugins"].map((name) => join(folderOf(place), name)),
    words: ["install", "uninstall"],
    read: (printed) =>
      z
        .array(z.object({ name: z.string(), marketplace: z.string(), version: z.string() }))
        .parse(printed)
        .map(({ name, marketplace: from, version }) => ({ id: `${name}@${from}`, version })),
    // otherwise it would remember forever that it is off
    clear: (place) => forgetSwitch(join(folderOf(place), "settings.json")),
  }),
};

/** Removes our entry from `enabledPlugins`. Settings that aren't plain JSON are left as they are. */
async function forgetSwitch(file: string): Promise<void> {
  const settings = await readFile(file, "utf8")
    .then((text) =>
      z.looseObject({ enabledPlugins: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text)),
    )
    .catch(() => undefined);
  if (settings === undefined || !(pluginId in settings.enabledPlugins)) return;
  const { [pluginId]: _ours, ...enabledPlugins } = settings.enabledPlugins;
  await writeFileAtomic(file, `${JSON.stringify({ ...settings, enabledPlugins }, null, 2)}\n`);
}
