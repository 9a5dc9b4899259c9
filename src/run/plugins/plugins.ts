import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join, sep } from "node:path";
import { onPath } from "../../adapters/on-path.ts";
import { codingAgents } from "../../adapters/coding-agents/coding-agents.ts";
import { type PluginPlace, versionIn } from "../../adapters/plugins/plugin-host.ts";
import { runTool } from "../../adapters/run-tool.ts";
import { readEnv } from "../../config/env.ts";
import { type PluginHostName, pluginHostNames } from "../../core/coding-agents.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { oneLine, withoutColours } from "../../core/one-line.ts";
import { compareSnapshots, lookAt, type Written } from "./written.ts";

/** The effects of an install or uninstall. */
export interface PluginChange {
  readonly agent: PluginHostName;
  readonly title: string;
  readonly version: string;
  /** The version that was there before an install. */
  readonly replaced?: string;
  /** The commands that were run for the person. */
  readonly ran: readonly string[];
  readonly wrote: readonly Written[];
  readonly firstWords: string;
}

/** Installs our plugin in an agent, replacing any other version. */
export async function installPlugin(
  name: PluginHostName,
  surroundings: Surroundings = {},
): Promise<PluginChange> {
  const { label: title, plugin: host } = codingAgents[name];
  const { place, ran } = openPlace(name, surroundings);
  refuseNpx(place);
  const version = ownVersion(place);
  const replaced = await host.find(place);
  if (replaced === version)
    throw new WhetstoneError("already-installed", `${title} already has whetstone ${version}.`, {
      hint: `Type ${host.firstWords} in a new session. To remove it: whetstone plugin uninstall ${name}`,
    });
  host.refuseForeign?.(place);
  const before = lookAt(host.places(place));
  if (replaced !== undefined) await host.uninstall(place);
  try {
    await host.install(place);
  } catch (error) {
    // remove the partial install; the person should see the original error
    await host.uninstall(place).catch(() => undefined);
    throw error;
  }
  const wrote = compareSnapshots(before, lookAt(host.places(place)));
  return { agent: name, title, version, replaced, ran, wrote, firstWords: host.firstWords };
}

/** Removes our plugin from an agent. */
export async function uninstallPlugin(
  name: PluginHostName,
  surroundings: Surroundings = {},
): Promise<PluginChange> {
  const { label: title, plugin: host } = codingAgents[name];
  const { place, ran } = openPlace(name, surroundings);
  const version = await host.find(place);
  if (version === undefined)
    throw new WhetstoneError("not-installed", `${title} doesn't have the plugin.`, {
      hint: "whetstone plugin list shows which agents have it.",
    });
  const before = lookAt(host.places(place));
  await host.uninstall(place);
  const wrote = compareSnapshots(before, lookAt(host.places(place)));
  return { agent: name, title, version, ran, wrote, firstWords: host.firstWords };
}

/** The state of one agent. */
export interface PluginState {
  readonly agent: PluginHostName;
  /** Whether its program is on PATH. */
  readonly isHere: boolean;
  /** The installed plugin's version. */
  readonly version?: string;
  /** Why it couldn't be asked. */
  readonly problem?: string;
}

export function listPlugins(): Promise<readonly PluginState[]> {
  return Promise.all(
    pluginHostNames.map(async (agent) => {
      const { plugin, program } = codingAgents[agent];
      if (onPath(program.name, readEnv()) === undefined) return { agent, isHere: false };
      try {
        return { agent, isHere: true, version: await plugin.find(openPlace(agent).place) };
      } catch (error) {
        return { agent, isHere: true, problem: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

/** The person's environment and home. */
interface Surroundings {
  readonly env?: ReturnType<typeof readEnv>;
  readonly home?: string;
}

function openPlace(
  name: PluginHostName,
  { env = readEnv(), home = homedir() }: Surroundings = {},
): { readonly place: PluginPlace; readonly ran: readonly string[] } {
  const { label, program } = codingAgents[name];
  const ran: string[] = [];
  const root = dirname(createRequire(import.meta.url).resolve("whetstone/package.json"));
  if (onPath(program.name, env) === undefined)
    throw new WhetstoneError("agent-missing", `${label} wasn't found: "${program.name}" isn't on PATH.`, {
      hint: `Install it: npm install -g ${program.packageName}`,
    });
  const ask: PluginPlace["run"] = async (args, more) => {
    // run in the person's home, so files in the current directory can't influence it
    const ended = await runTool([program.name, ...args], {
      env: { ...env, ...more },
      cwd: home,
      seconds: 120,
    });
    if (ended?.exitCode === 0) return ended.stdout.toString();
    const said = withoutColours(`${ended?.stderr ?? ""} ${ended?.stdout.toString() ?? ""}`);
    throw new WhetstoneError(
      "failed",
      `\`${[program.name, ...args].join(" ")}\` failed: ${oneLine(said, 600)}`,
      {
        hint: `Run it yourself to see its full output; a newer version may have changed.`,
      },
    );
  };
  const run: PluginPlace["run"] = (args, more) => {
    ran.push([program.name, ...args].join(" "));
    return ask(args, more);
  };
  return { place: { root, folder: join(root, "plugins", "whetstone"), env, home, run, ask }, ran };
}

/** Agents load the plugin from our folder, or look there for updates, so the folder must stay. */
function refuseNpx({ root }: PluginPlace): void {
  if (!root.split(sep).includes("_npx")) return;
  throw new WhetstoneError(
    "usage",
    "This copy of Whetstone belongs to npx, which may delete it at any time.",
    {
      hint: "Install it permanently with `npm install -g whetstone`, then run the same command without npx.",
    },
  );
}

function ownVersion({ folder }: PluginPlace): string {
  const version = versionIn(join(folder, ".claude-plugin", "plugin.json"));
  if (version !== undefined) return version;
  throw new WhetstoneError("not-found", `The plugin isn't at ${folder}.`, {
    hint: "Install whetstone again.",
  });
}
