import { type Stats, globSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface InstalledPackage {
  readonly name: string;
  /** On disk: whole blocks, as `du` counts them. */
  readonly bytes: number;
  /** What npm would run while it installs. */
  readonly scripts: readonly string[];
  /** Files that must be compiled or were. */
  readonly native: readonly string[];
}

/** Every package below a folder, the largest first. A package inside another one counts by itself. */
export function listInstalled(folder: string): readonly InstalledPackage[] {
  const files = globSync("node_modules/**/*", { cwd: folder }).map((path) => ({
    path,
    stats: lstatSync(join(folder, path)),
  }));
  const owners = new Map<string, { readonly path: string; readonly stats: Stats }[]>();
  for (const file of files) {
    const owner = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.path)?.[0];
    if (owner !== undefined) owners.set(owner, [...(owners.get(owner) ?? []), file]);
  }
  return [...owners]
    .flatMap(([owner, those]) => {
      const manifest = those.find(({ path }) => path === `${owner}/package.json`);
      if (manifest === undefined) return [];
      const { name, scripts = {} } = JSON.parse(readFileSync(join(folder, manifest.path), "utf8")) as {
        readonly name: string;
        readonly scripts?: Readonly<Record<string, string>>;
      };
      return [
        {
          name,
          bytes: those.reduce((sum, { stats }) => sum + stats.blocks * 512, 0),
          scripts: ["preinstall", "install", "postinstall"].filter((script) => script in scripts),
          native: those.filter(({ path }) => /\.node$|binding\.gyp$/.test(path)).map(({ path }) => path),
        },
      ];
    })
    .toSorted((a, b) => b.bytes - a.bytes);
}
