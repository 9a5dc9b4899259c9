import { vscodeCopilotSource } from "../transcripts/readers/vscode-copilot.ts";
import type { CodingAgent } from "./coding-agent.ts";
import { posix, win32 } from "node:path";

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

/** Where VS Code, its Insiders edition and VSCodium keep a person's data, by system. */
export function vscodeHomes({
  home,
  env,
  platform = process.platform,
}: {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default this machine's */
  readonly platform?: NodeJS.Platform;
}): readonly string[] {
  const path = platform === "win32" ? win32 : posix;
  const given = (value: string | undefined): value is string => value !== undefined && path.isAbsolute(value);
  const portable = env["VSCODE_PORTABLE"];
  const [appData, config] = [env["APPDATA"], env["XDG_CONFIG_HOME"]];
  const roots: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
    win32: given(appData) ? appData : path.join(home, "AppData", "Roaming"),
    darwin: path.join(home, "Library", "Application Support"),
  };
  const root = roots[platform] ?? (given(config) ? config : path.join(home, ".config"));
  return [
    ...(given(portable) ? [path.join(portable, "user-data")] : []),
    ...["Code", "Code - Insiders", "VSCodium"].map((edition) => path.join(root, edition)),
  ];
}
