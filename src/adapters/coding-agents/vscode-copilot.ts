import { vscodeCopilotSource } from "../transcripts/readers/vscode-copilot.ts";
import { vscodeHomes } from "../transcripts/vscode-homes.ts";
import type { CodingAgent } from "./coding-agent.ts";

export const vscodeCopilot: CodingAgent<"vscode-copilot"> = {
  name: "vscode-copilot",
  label: "VS Code Copilot Chat",
  program: undefined,
  reads: { files: [".github/copilot-instructions.md", "AGENTS.md"] },
  memory: undefined,
  secrets: [".config/github-copilot/hosts.json", ".config/github-copilot/apps.json"],
  skills: { project: [], home: [] },
  cli: undefined,
  transcripts: (host, place) =>
    vscodeCopilotSource({ homes: place === undefined ? vscodeHomes(host) : [place] }),
  plugin: undefined,
};
