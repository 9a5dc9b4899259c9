import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ProofRecord } from "./record.ts";

const root = join(import.meta.dirname, "../../..");

/** Every program that shows a promise: its name and its file, from the project's root. */
export const proofFiles: ReadonlyMap<string, string> = new Map([
  ...globSync("proofs/*.ts", { cwd: root })
    .toSorted()
    .map((path) => [basename(path, ".ts"), path] as const)
    .filter(([name]) => name !== "run" && name !== "proof"),
  ...globSync("src/**/*.long.test.ts", { cwd: root })
    .toSorted()
    .map((path) => [basename(path, ".long.test.ts"), path] as const),
]);

/** Files that a file names: imports, and the workers that it starts. */
const links = new Map<string, readonly string[]>();
const hashes = new Map<string, string>();

function read(path: string): readonly string[] {
  const known = links.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, path), "utf8");
  hashes.set(path, createHash("sha256").update(text).digest("hex"));
  const named = [...text.matchAll(/["'`]([\w./-]+\.tsx?)["'`]/g)].map(([, to = ""]) =>
    join(dirname(path), to),
  );
  // the built command is made of these
  const built = text.includes("dist/cli.js") ? ["src/apps/cli/main.ts"] : [];
  const found = [...named, ...built].filter((to) => !to.startsWith("..") && existsSync(join(root, to)));
  links.set(path, found);
  return found;
}

/** All that a proof runs: its file, every file of ours that this one names, and so on. */
export function filesOf(path: string): readonly string[] {
  const reached = new Set([path]);
  for (const next of reached) for (const to of read(next)) reached.add(to);
  return [...reached].toSorted();
}

/** A hash of the contents of these files. */
export function codeHash(path: string): string {
  const all = createHash("sha256");
  for (const one of filesOf(path)) all.update(`${one} ${hashes.get(one)}\n`);
  return all.digest("hex").slice(0, 16);
}

export type Standing = "shown" | "outdated" | "failed" | "to be measured";

/** What a record says of its promise, as the code is now. */
export function standingOf(record: ProofRecord | undefined, path: string): Standing {
  if (record === undefined || record.form !== "full") return "to be measured";
  if (!record.ok) return "failed";
  return record.code === codeHash(path) ? "shown" : "outdated";
}
