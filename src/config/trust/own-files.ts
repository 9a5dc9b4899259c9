import { existsSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { isWithin } from "../../adapters/project-matcher.ts";

/** Whether a file belongs to whetstone or to a package that it is made of. */
export function isOwnFile(path: string): boolean {
  own ??= ownFolders(packageRoot());
  return own.some((folder) => path.startsWith(folder));
}

let own: readonly string[] | undefined;

/** Whether this whetstone is installed in a project, where anybody who writes to the project can change it. */
export const isInstalledIn = (project: string): boolean => isWithin(packageRoot(), realpathSync(project));

/** Our own code as far as it is in a project: there it is like any other. */
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

/** What paths of our own begin with. Not all of the package's folder: in the repository examples lie there too. */
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
