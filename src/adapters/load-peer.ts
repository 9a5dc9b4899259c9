import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WhetstoneError } from "../core/errors.ts";

/** Packages in the project, which only run as a person has allowed them. */
export interface ProjectPeers {
  readonly folder: string;
  /** Checks every file before it runs, until it is released; undefined if nobody has allowed any. */
  guard(): { release(): void } | undefined;
}

// process-wide, as loaded modules are
let project: ProjectPeers | undefined;

/** Without this call, packages only load from next to whetstone. */
export function allowProjectPeers(peers: ProjectPeers): void {
  project = peers;
}

/**
 * Imports an optional package, or a part of one (`pg`, `@scope/name/part.js`): the one installed next to whetstone
 * or, with the user's consent, the project's. Otherwise throws `peer-missing` with a next step.
 */
export async function loadPeer<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
  }
  const guard = project?.guard();
  if (guard === undefined) throw missing([packageOf(name)]);
  try {
    const path = findInProject(name);
    if (path === undefined) throw missing([packageOf(name)]);
    return (await import(pathToFileURL(path).href)) as T;
  } finally {
    guard.release();
  }
}

/** One error for all packages that can't be loaded: nobody wants to install them one after another. */
export function requirePeers(names: readonly string[]): void {
  const elsewhere = [...new Set(names)].filter((name) => findFrom(import.meta.url, name) === undefined);
  if (elsewhere.length === 0) return;
  const lacking = isProjectAllowed()
    ? elsewhere.filter((name) => findInProject(name) === undefined)
    : elsewhere;
  if (lacking.length > 0) throw missing(lacking);
}

/** The path where a separate thread finds the same package. */
export function peerPath(name: string): string {
  const path = findFrom(import.meta.url, name) ?? (isProjectAllowed() ? findInProject(name) : undefined);
  if (path === undefined) throw missing([name]);
  return path;
}

function isProjectAllowed(): boolean {
  const guard = project?.guard();
  guard?.release();
  return guard !== undefined;
}

const projectPlace = (): string => join(project?.folder ?? process.cwd(), "package.json");

const findInProject = (name: string): string | undefined => findFrom(projectPlace(), name);

/** Doesn't use Node's own search, which reads every package.json on its way, of any size. */
const isInProject = (name: string): boolean =>
  createRequire(projectPlace())
    .resolve.paths(name)
    ?.some((folder) => existsSync(join(folder, name))) === true;

/** A package's path as seen from a file, even if it can be imported but not required. */
function findFrom(place: string, name: string): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch (error) {
    if (isMissing(error, name)) return undefined;
    if ((error as { readonly code?: unknown }).code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return name;
    throw error;
  }
}

function missing(names: readonly string[]): WhetstoneError {
  const some = `The ${names.length === 1 ? "package" : "packages"} ${names.join(", ")} ${names.length === 1 ? "is" : "are"}`;
  const install = installStep(names);
  if (!names.every(isInProject))
    return new WhetstoneError("peer-missing", `${some} needed but not installed.`, { hint: install });
  return new WhetstoneError(
    "peer-missing",
    `${some} installed in this project, but not next to whetstone. Packages of a project are code that others can write, so they aren't loaded without your consent.`,
    {
      hint:
        project === undefined
          ? `Install next to whetstone: ${install}`
          : `\`whetstone trust\` allows this project's packages. Or install next to whetstone: ${install}`,
    },
  );
}

/** The command that installs packages where whetstone finds them, which isn't always this project. */
export function installStep(names: readonly string[], own: string = fileURLToPath(import.meta.url)): string {
  const all = names.join(" ");
  const [home = ""] = own.split(`${sep}node_modules${sep}`, 1);
  if (home === own) return `npm i ${all}`;
  if (home.includes(`${sep}_npx${sep}`))
    return `npx -p whetstone ${names.map((name) => `-p ${name}`).join(" ")} whetstone`;
  if (!existsSync(join(home, "package.json"))) return `npm i -g ${all}`;
  const isHere = !relative(home, process.cwd()).startsWith("..");
  return `npm i ${isHere ? "" : `--prefix "${home}" `}${all}`;
}

/** `@scope/name` of `@scope/name/part.js`. */
const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

// the package itself, rather than one it fails to find
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (
    (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") &&
    [name, packageOf(name)].some((one) => String(message).includes(`'${one}'`))
  );
}
