import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { loadPeer } from "../adapters/load-peer.ts";
import { quoteWords } from "../adapters/shell-words.ts";
import { WhetstoneError } from "../core/errors.ts";
import { ended, oneLine } from "../core/one-line.ts";
import { noteCode, throwRefusal } from "./trust/guard-imports.ts";

/**
 * Imports a user's file natively. If Node can't run it (enums, JSX, imports without extensions), uses jiti if
 * installed.
 */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  refuseOdd(path);
  const module = await importAnyhow(path);
  throwRefusal();
  return module;
}

/** Node would wait on a pipe, and read a device or a huge file to the end. */
function refuseOdd(path: string): void {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined || (facts.isFile() && facts.size < mostBytes)) return;
  const why = facts.isFile() ? `larger than ${mostBytes / 1e6} MB` : "not a file";
  throw new WhetstoneError("config-invalid", `${path} can't be loaded as code: it is ${why}.`, {
    hint: "Name a TypeScript or JavaScript file.",
  });
}

const mostBytes = 20_000_000;

async function importAnyhow(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    if (!needsTransform(error)) throw failed(path, error);
    return await transformed(path, error);
  }
}

async function transformed(path: string, why: unknown): Promise<Readonly<Record<string, unknown>>> {
  const jiti = await loadPeer<typeof import("jiti")>("jiti").catch((error: unknown) => {
    if (!(error instanceof WhetstoneError) || error.code !== "peer-missing") throw error;
    throw failed(path, why, isForJiti(why) ? `${jitiHint}: ${error.hint}` : undefined);
  });
  try {
    const plain = jiti.createJiti(import.meta.url, { fsCache: false });
    const guarded = jiti.createJiti(import.meta.url, {
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

const jitiHint =
  "Node can't run TypeScript enums, namespaces or JSX, and needs full file names in imports (./x.ts). Change that, or let jiti translate it";

const transformCodes = new Set([
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

const isForJiti = (error: unknown): boolean => transformCodes.has(String((error as { code?: unknown }).code));

/** A file that isn't code at all goes to jiti too, because its errors say more. */
const needsTransform = (error: unknown): boolean => error instanceof SyntaxError || isForJiti(error);

/** Includes the line in the file that failed, if known. */
function failed(path: string, cause: unknown, hint?: string): WhetstoneError {
  if (cause instanceof WhetstoneError) return cause;
  if (cause instanceof SyntaxError && esmMessages.has(cause.message)) {
    const refused = readAsCommonJs(cause);
    if (refused !== undefined) return refused;
  }
  const { message, stack = "" } = cause instanceof Error ? cause : new Error(String(cause));
  const checked = () => (cause instanceof SyntaxError ? lineIn(checkSyntax(path), path) : []);
  const line = [message, stack].flatMap((text) => lineIn(text, path))[0] ?? checked()[0];
  const what = message
    .replace(/^ParseError: /, "")
    .replace(/\n\s*\S+:\d+:\d+\s*$/, "")
    .replace(/\nRequire stack:[^]*$/, "");
  return new WhetstoneError(
    "config-invalid",
    `${path}${line === undefined ? "" : `, line ${line},`} can't be loaded: ${ended(oneLine(what))}`,
    {
      cause,
      hint: /Cannot find (?:module|package) 'whetstone'/.test(message)
        ? "Leave out the import and write `export default { … }`, or install the package here: npm i -D whetstone"
        : (hint ??
          (line === undefined ? "Correct the file." : "Correct it there, then run the command again.")),
    },
  );
}

/** V8's messages for an ES module read as CommonJS. */
const esmMessages: ReadonlySet<string> = new Set([
  "Unexpected token 'export'",
  "Cannot use import statement outside a module",
  "Cannot use 'import.meta' outside a module",
]);

/** `npm init -y` makes Node read a project's .ts and .js files as CommonJS. The failing file may be an import. */
function readAsCommonJs(cause: SyntaxError): WhetstoneError | undefined {
  const [, file = "", line = ""] = /^(.+\.[jt]s):(\d+)$/m.exec(cause.stack ?? "") ?? [];
  const settings = file === "" ? undefined : findPackageJSON(pathToFileURL(file));
  if (settings === undefined || !/"type"\s*:\s*"commonjs"/.test(readFileSync(settings, "utf8")))
    return undefined;
  const isConfig = basename(file).startsWith("whetstone.config.");
  return new WhetstoneError(
    "config-invalid",
    `${file}, line ${line}, can't be loaded: it is an ES module, but ${settings} says "type": "commonjs".`,
    {
      cause,
      hint: `Rename it${isConfig ? "" : ", and update imports and paths that name it"}: ${quoteWords(["mv", file, file.replace(/(?=[jt]s$)/, "m")])}`,
    },
  );
}

/** Node's report for a file it can't parse, because the error itself has no line number. Nothing in the file runs. */
const checkSyntax = (path: string): string =>
  spawnSync(process.execPath, ["--check", path], { encoding: "utf8" }).stderr;

function lineIn(text: string, path: string): readonly string[] {
  const at = text.indexOf(`${path}:`);
  const found = /^:(\d+)/.exec(text.slice(at + path.length));
  return at < 0 || found?.[1] === undefined ? [] : [found[1]];
}
