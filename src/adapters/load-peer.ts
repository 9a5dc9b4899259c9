import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { WhetstoneError } from "../core/errors.ts";

/**
 * Imports an optional package: one installed beside whetstone, else one of the project in the working
 * directory (so that `npx whetstone` sees it). Missing: `peer-missing`, saying what to install.
 */
export async function loadPeer<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if (!isMissing(error, name)) throw error;
  }
  let path: string;
  try {
    path = createRequire(join(process.cwd(), "package.json")).resolve(name);
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new WhetstoneError("peer-missing", `The package ${name} is needed and not installed.`, {
      hint: `npm i ${name}`,
    });
  }
  return (await import(pathToFileURL(path).href)) as T;
}

// the package itself, not one that it fails to find
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (
    (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && String(message).includes(`'${name}'`)
  );
}
