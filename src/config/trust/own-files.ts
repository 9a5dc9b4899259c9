import { existsSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { isWithin } from "../../adapters/project-matcher.ts";

/** Whether a file belongs to whetstone or to one of its dependencies. */
export function isOwnFile(path: string): boolean {
  own ??= ownFolders(packageRoot());
  return own.some((folder) => path.startsWith(folder));
}

let own: readonly string[] | undefined;

/** Whether this whetstone is installed in a project, where anyone who can write to the project can change it. */
export const isInstalledIn = (project: string): boolean => isWithin(packageRoot(), realpathSync(project));

/** The part of our code that is in a project. There it's treated like any other code. */
export function ownFilesIn(project: string): readonly string[] {
  own ??= ownFolders(packageRoot());
  const root = realpathSync(project);
  return own
    .filter((folder) => folder.endsWith(sep) && isWithin(folder, root))
    .flatMap((folder) =>
      existsSync(folder)
        ? readdirSync(folder, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]s|json|node|wasm)$/.test(entry.name))
            .map((entry) => join(entry.parentPath, entry.name))
        : [],
    );
}

/** Prefixes of our own paths. Not the whole package folder, because the repository has examples there too. */
function ownFolders(root: string): readonly string[] {
  const packages = new Set<string>();
  addDependencies(root, packages);
  const parts = ["dist", "src", "node_modules"].map((name) => join(root, name));
  return [...[...parts, ...packages].map((folder) => folder + sep), join(root, "package.json")];
}

function addDependencies(folder: string, found: Set<string>): void {
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  for (const name of Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })) {
    const installed = findInstalled(name, folder);
    if (installed === undefined || found.has(installed)) continue;
    found.add(installed);
    addDependencies(installed, found);
  }
}

function findInstalled(name: string, from: string): string | undefined {
  const folder = join(from, "node_modules", name);
  if (existsSync(join(folder, "package.json"))) return realpathSync(folder);
  const above = dirname(from);
  return above === from ? undefined : findInstalled(name, above);
}

function packageRoot(folder = realpathSync(import.meta.dirname)): string {
  return existsSync(join(folder, "package.json")) ? folder : packageRoot(dirname(folder));
}
