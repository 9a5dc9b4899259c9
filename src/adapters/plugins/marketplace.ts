import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { PluginHost, PluginPlace } from "./plugin-host.ts";

/** Both are called as we are, so its id is this everywhere. */
export const pluginId = "whetstone@whetstone";

/** An agent that takes plugins from marketplaces: our package's folder is one. */
interface Marketplace extends Omit<PluginHost, "find" | "install" | "uninstall"> {
  /** What the agent calls taking a plugin and giving it back. */
  readonly words: readonly [take: string, give: string];
  /** The plugins in its list, as it prints them. */
  readonly read: (printed: unknown) => readonly Listed[];
  /** What its own command leaves behind. */
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
      // it fails where an install did not come so far, and the rest is there all the same
      await place.run(["plugin", "marketplace", "remove", "whetstone"]);
      await clear(place);
    }
  },
});

export const removeCopy = (folder: string): Promise<void> =>
  rm(join(folder, "plugins", "cache", "whetstone"), { recursive: true, force: true });
