import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { quoteWords } from "../../adapters/shell-words.ts";
import { hashBytes } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { isOwnFile, ownFilesIn } from "./own-files.ts";

export interface GuardOptions {
  /** sha256 by absolute path: whatever else is refused before one line of it runs. @default all is let through, and noted */
  readonly allowed?: ReadonlyMap<string, string>;
  /** The error for a file that has changed or is new. @default not-consented */
  readonly refuse?: (change: string) => WhetstoneError;
}

export interface ImportGuard {
  /** sha256 by absolute path of what was loaded since, without whetstone's own files. */
  readonly files: ReadonlyMap<string, string>;
  release(): void;
}

/**
 * From now on every file that this process loads as code (`import`, `require`, through jiti, from node_modules) is
 * looked at before it runs; what runs is the text that was looked at, not a second reading of the file.
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
      // compiled addons are not loaded as text
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

// of the process, as Node's own hooks are
const guards = new Set<Guard>();

/** For what runs, or decides what runs, and is not loaded by Node: configs in JSON, what jiti translates, programs. */
export function noteCode(path: string, content: string | Uint8Array): void {
  if (guards.size > 0 && !isOwnFile(path)) note(path, content);
}

/** Our own files are part of what is trusted where others can write them. */
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

/** Code that catches the refusal of a file must not go on without it. */
export function throwRefusal(): void {
  for (const { refusals } of guards) if (refusals[0] !== undefined) throw refusals[0];
}

/** What runs while nobody watches stops here. */
export const notConsented = (changes: readonly string[], typed: readonly string[]): WhetstoneError =>
  new WhetstoneError(
    "not-consented",
    `Nobody has consented to this: ${changes.join("; ")}. It was neither run nor sent anything.`,
    { hint: `Look at it; to allow it, type: ${quoteWords(["whetstone", "trust", ...typed])}` },
  );
