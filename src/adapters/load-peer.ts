import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { WhetstoneError } from "../core/errors.ts";

/**
 * Imports an optional package, or a part of one (`pg`, `@scope/name/part.js`): one installed beside whetstone, else one of the project in the working
 * directory (so that `npx whetstone` sees it). Missing: `peer-missing`, saying what to install.
 */
export async function loadPeer<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
  }
  const path = findFrom(join(process.cwd(), "package.json"), name);
  if (path === undefined) throw missing([packageOf(name)]);
  return (await import(pathToFileURL(path).href)) as T;
}

/** Refuses once for all packages that are not there: nobody wants to install them one after the other. */
export function requirePeers(names: readonly string[]): void {
  const places = [import.meta.url, join(process.cwd(), "package.json")];
  const lacking = [...new Set(names)].filter((name) =>
    places.every((place) => findFrom(place, name) === undefined),
  );
  if (lacking.length > 0) throw missing(lacking);
}

/** Where a package is, as seen from a file; one that cannot be required but imported is there, too. */
function findFrom(place: string, name: string): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch (error) {
    if (isMissing(error, name)) return undefined;
    if ((error as { readonly code?: unknown }).code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return name;
    throw error;
  }
}

const missing = (names: readonly string[]): WhetstoneError =>
  new WhetstoneError(
    "peer-missing",
    `The ${names.length === 1 ? "package" : "packages"} ${names.join(", ")} ${names.length === 1 ? "is" : "are"} needed and not installed.`,
    { hint: `npm i ${names.join(" ")}` },
  );

/** `@scope/name` of `@scope/name/part.js`. */
const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

// the package itself, not one that it fails to find
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (
    (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") &&
    [name, packageOf(name)].some((one) => String(message).includes(`'${one}'`))
  );
}
