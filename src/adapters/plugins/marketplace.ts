import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { PluginHost, PluginPlace } from "./plugin-host.ts";

/** Our package and plugin have the same name, so this is its id everywhere. */
export const pluginId = "whetstone@whetstone";

/** An agent that installs plugins from marketplaces: our package's folder is one. */
interface Marketplace extends Omit<PluginHost, "find" | "install" | "uninstall"> {
  /** The agent's words for installing and uninstalling a plugin. */
  readonly words: readonly [take: string, give: string];
  /** The plugins in its list, as printed. */
  readonly read: (printed: unknown) => readonly Listed[];
  /** Files that its own command leaves behind. */
  readonly clear: (place: PluginPlace) => Promise<void>;
}

interface Listed {
  readonly id: string;
  readonly version: string;
}

export const marketplace = ({ words: [take, give], read, clear, ...host }: Marketplace): PluginHost => ({
  ...host,
  find: async ({ ask }) =>
    read(JSON.parse(await ask(["plugin", "list", "--json"]))).find((plugin) => plugin.id === pluginId)
      ?.version,
  install: async ({ run, root }) => {
    await run(["plugin", "marketplace", "add", root]);
    await run(["plugin", take, pluginId]);
  },
  uninstall: async (place) => {
    try {
      await place.run(["plugin", give, pluginId]);
    } finally {
      // this fails if the install didn't get that far, but the rest exists anyway
      await place.run(["plugin", "marketplace", "remove", "whetstone"]);
      await clear(place);
    }
  },
});

export const removeCopy = (folder: string): Promise<void> =>
  rm(join(folder, "plugins", "cache", "whetstone"), { recursive: true, force: true });
