import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { agentFolder, type PluginHost, type PluginPlace, versionIn } from "./plugin-host.ts";

/** OpenCode has no command for folders: it reads skills, commands and plugins that lie in its config folder. */
export const opencodeHost: PluginHost = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  packageName: "opencode-ai",
  firstWords: "/whetstone-status",
  places: (place) => [configFolder(place)],
  find: async (place) => readRecord(place)?.version,
  refuseForeign(place) {
    const { files = {} } = readRecord(place) ?? {};
    for (const [, to] of partsOf(place.folder)) {
      const file = join(configFolder(place), to);
      const written = files[to];
      if (!existsSync(file) || hashOf(file) === written) continue;
      throw new WhetstoneError(
        "already-installed",
        written === undefined
          ? `${file} is there already, and was not put there by this command.`
          : `You changed ${file}, which an install would replace.`,
        { hint: "Move it away and type the same again. Nothing was written." },
      );
    }
  },
  async install(place) {
    const parts = partsOf(place.folder);
    for (const [from, to] of parts) {
      await mkdir(dirname(join(configFolder(place), to)), { recursive: true });
      await cp(join(place.folder, from), join(configFolder(place), to));
    }
    const record: InstallRecord = {
      version: versionIn(join(place.folder, ".claude-plugin", "plugin.json")) ?? "unknown",
      files: Object.fromEntries(parts.map(([, to]) => [to, hashOf(join(configFolder(place), to)) ?? ""])),
    };
    await mkdir(dirname(recordFile(place)), { recursive: true });
    await writeFile(recordFile(place), `${JSON.stringify(record, null, 2)}\n`);
  },
  async uninstall(place) {
    const { files = {} } = readRecord(place) ?? {};
    for (const [path, hash] of Object.entries(files)) {
      const file = join(configFolder(place), path);
      // what a person has changed since is theirs
      if (hashOf(file) === hash) await rm(file);
    }
    await rm(recordFile(place), { force: true });
    for (const path of [...Object.keys(files), recordFile(place)])
      await removeEmpty(dirname(resolve(configFolder(place), path)), dirname(configFolder(place)));
  },
};

/** Which file of the plugin goes where. */
function partsOf(folder: string): readonly (readonly [from: string, to: string])[] {
  const all = (from: string, to: string): readonly (readonly [string, string])[] =>
    readdirSync(join(folder, from), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, from).length + 1))
      .map((path) => [join(from, path), join(to, path)]);
  return [...all("skills", "skills"), ...all("prompts", "commands"), ...all("opencode", "plugins")];
}

const recordSchema = z.object({
  version: z.string(),
  /** Path in the config folder → its bytes as they were written. */
  files: z.record(z.string(), z.string()),
});
type InstallRecord = z.infer<typeof recordSchema>;

const configFolder = (place: PluginPlace): string =>
  join(agentFolder(place, "XDG_CONFIG_HOME", ".config"), "opencode");
const recordFile = (place: PluginPlace): string => join(configFolder(place), "whetstone", "installed.json");

function readRecord(place: PluginPlace): InstallRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(recordFile(place), "utf8")));
  } catch {
    return undefined;
  }
}

function hashOf(file: string): string | undefined {
  try {
    return hashText(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Folders that nothing is left in, below `top`. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  if (folder === top || (await readdir(folder).catch(() => ["gone"])).length > 0) return;
  await rmdir(folder);
  await removeEmpty(dirname(folder), top);
}
