import { homedir } from "node:os";
import type { PluginHostName } from "../../../core/coding-agents.ts";
import {
  installPlugin,
  listPlugins,
  type PluginState,
  uninstallPlugin,
} from "../../../run/plugins/plugins.ts";
import type { Written } from "../../../run/plugins/written.ts";
import type { Io } from "../../../show/io.ts";
import { plural, colors } from "../../../show/format.ts";

/** `whetstone plugin install` and `whetstone plugin uninstall` */
export async function changePluginCommand(
  verb: "install" | "uninstall",
  agent: PluginHostName,
  json: boolean,
  io: Io,
): Promise<void> {
  const change = await (verb === "install" ? installPlugin(agent) : uninstallPlugin(agent));
  if (json) return io.printJson(change);
  const { title, version, replaced, ran, wrote, firstWords } = change;
  const isInstall = verb === "install";
  const was = replaced === undefined ? "" : `, replacing ${replaced}`;
  io.print(
    [
      isInstall
        ? `${colors.green("Installed")} whetstone ${version} in ${title}${was}.`
        : `${colors.green("Uninstalled")} whetstone ${version} from ${title}.`,
      ...ran.map((line) => `  ran      ${withTilde(line)}`),
      ...wrote.map(writtenLine),
      ...(isInstall
        ? [
            `Start a new session and type: ${firstWords}`,
            `To uninstall it: whetstone plugin uninstall ${agent}`,
          ]
        : []),
    ].join("\n"),
  );
}

/** `whetstone plugin list` */
export async function listPluginsCommand(json: boolean, io: Io): Promise<void> {
  const states = await listPlugins();
  if (json) return io.printJson(states);
  io.print(states.map((state) => `${state.agent.padEnd(12)} ${stateText(state)}`).join("\n"));
}

function stateText({ agent, isHere, version, problem }: PluginState): string {
  if (!isHere) return colors.dim("the agent isn't on PATH");
  if (problem !== undefined) return `${colors.red("unknown")}  ${problem}`;
  if (version === undefined) return `not installed    whetstone plugin install ${agent}`;
  return colors.green(`installed ${version}`);
}

const writtenLine = ({ kind, path, files }: Written): string =>
  `  ${kind.padEnd(8)} ${withTilde(path)}${files === undefined ? "" : ` (${plural(files, "file")})`}`;

const withTilde = (text: string): string => text.replaceAll(homedir(), "~");
