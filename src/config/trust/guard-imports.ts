import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { quoteWords } from "../../adapters/shell-words.ts";
import { hashBytes } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { isOwnFile, ownFilesIn } from "./own-files.ts";

export interface GuardOptions {
  /** sha256 by absolute path. Any other file is refused before a line runs. @default everything is allowed and noted */
  readonly allowed?: ReadonlyMap<string, string>;
  /** The error for a file that has changed or is new. @default not-consented */
  readonly refuse?: (change: string) => WhetstoneError;
}

export interface ImportGuard {
  /** sha256 by absolute path of every file loaded since, except whetstone's own. */
  readonly files: ReadonlyMap<string, string>;
  release(): void;
}

/**
 * From now on, checks every file this process loads as code (`import`, `require`, through jiti, from
 * node_modules) before it runs. The text that runs is the text that was checked, not a second read of the file.
 */
export function guardImports({
  allowed,
  refuse = (change) => notConsented([change], []),
}: GuardOptions = {}): ImportGuard {
  const files = new Map<string, string>();
  const guard: Guard = { files, allowed, refuse, refusals: [] };
  guards.add(guard);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      // compiled addons aren't loaded as text
      if (found.url.startsWith("file:") && found.url.endsWith(".node")) {
        const path = fileURLToPath(found.url);
        noteCode(path, readFileSync(path));
      }
      return found;
    },
    load(url, context, next) {
      if (!url.startsWith("file:")) return next(url, context);
      const path = fileURLToPath(url);
      if (isOwnFile(path)) return next(url, context);
      const source = readFileSync(path);
      noteCode(path, source);
      return { ...next(url, context), source, shortCircuit: true };
    },
  });
  return {
    files,
    release() {
      hooks.deregister();
      guards.delete(guard);
    },
  };
}

interface Guard {
  readonly files: Map<string, string>;
  readonly allowed: ReadonlyMap<string, string> | undefined;
  readonly refuse: (change: string) => WhetstoneError;
  readonly refusals: WhetstoneError[];
}

// process-wide, as Node's own hooks are
const guards = new Set<Guard>();

/** For files that run or decide what runs, but that Node doesn't load: JSON configs, files jiti translates, programs. */
export function noteCode(path: string, content: string | Uint8Array): void {
  if (guards.size > 0 && !isOwnFile(path)) note(path, content);
}

/** Our own files are only trusted if nobody else can write them. */
export function noteOwnFiles(project: string): void {
  for (const path of ownFilesIn(project)) note(path, readFileSync(path));
}

function note(path: string, content: string | Uint8Array): void {
  const hash = hashBytes(Buffer.from(content));
  for (const { files, allowed, refuse, refusals } of guards) {
    if (allowed !== undefined && allowed.get(path) !== hash) {
      const refusal = refuse(`${path} ${allowed.has(path) ? "has changed" : "is new"}`);
      refusals.push(refusal);
      throw refusal;
    }
    files.set(path, hash);
  }
}

/** Code that catches a file's refusal must not go on without it. */
export function throwRefusal(): void {
  for (const { refusals } of guards) if (refusals[0] !== undefined) throw refusals[0];
}

/** Stops code that nobody approved from running unattended. */
export const notConsented = (changes: readonly string[], typed: readonly string[]): WhetstoneError =>
  new WhetstoneError(
    "not-consented",
    `You haven't allowed this: ${changes.join("; ")}. Nothing was run or sent.`,
    { hint: `Review it, then allow it with: ${quoteWords(["whetstone", "trust", ...typed])}` },
  );
