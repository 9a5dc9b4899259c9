import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

export function packPackage(folder: string): string {
  const words = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  return join(folder, execFileSync("npm", words, { cwd: root, encoding: "utf8" }).trim());
}

/** The packed package with the packages it needs and, next to it, only the optional ones that are named. Gives its folder. */
export function installPacked(packed: string, folder: string, optional: readonly string[] = []): string {
  const home = join(folder, "node_modules/whetstone");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", packed, "-C", home, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of [...Object.keys(dependencies), ...optional]) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  return home;
}
