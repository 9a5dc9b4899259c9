import { pathToFileURL } from "node:url";
import { WhetstoneError } from "../core/errors.ts";
import { ended, oneLine } from "../core/one-line.ts";
import { noteCode, throwRefusal } from "./trust/guard-imports.ts";

/** Imports a file of the user's: natively, and through jiti what Node cannot run by itself (enums, JSX, paths). */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const module = await importAnyhow(path);
  throwRefusal();
  return module;
}

async function importAnyhow(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    if (!needsTransform(error)) throw failed(path, error);
  }
  const { createJiti } = await import("jiti");
  try {
    const plain = createJiti(import.meta.url, { fsCache: false });
    const guarded = createJiti(import.meta.url, {
      fsCache: false,
      transform(options) {
        noteCode(options.filename ?? path, options.source);
        return { code: plain.transform(options) };
      },
    });
    return await guarded.import<Record<string, unknown>>(path);
  } catch (error) {
    throw failed(path, error);
  }
}

const transformCodes = new Set([
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_INVALID_TYPESCRIPT_SYNTAX",
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

const needsTransform = (error: unknown): boolean =>
  error instanceof SyntaxError || transformCodes.has(String((error as { code?: unknown }).code));

/** With the line where the file itself stops, if that is known. */
function failed(path: string, cause: unknown): WhetstoneError {
  if (cause instanceof WhetstoneError) return cause;
  const { message, stack = "" } = cause instanceof Error ? cause : new Error(String(cause));
  const line = [message, stack].flatMap((text) => lineIn(text, path))[0];
  const what = message
    .replace(/^ParseError: /, "")
    .replace(/\n\s*\S+:\d+:\d+\s*$/, "")
    .replace(/\nRequire stack:[^]*$/, "");
  return new WhetstoneError(
    "config-invalid",
    `${path}${line === undefined ? "" : `, line ${line},`} cannot be loaded: ${ended(oneLine(what))}`,
    {
      cause,
      hint: line === undefined ? "Correct the file." : "Correct it there, then run the command again.",
    },
  );
}

function lineIn(text: string, path: string): readonly string[] {
  const at = text.indexOf(`${path}:`);
  const found = /^:(\d+)/.exec(text.slice(at + path.length));
  return at < 0 || found?.[1] === undefined ? [] : [found[1]];
}
