import { join, relative, sep } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { isThere, listProjectFolder, type ProjectEntry, readProjectText } from "../project-file.ts";
import { isWithin } from "../project-matcher.ts";
import { isFilled } from "./shape.ts";

/** Evals with one folder each. */
export interface FoundSuite {
  /** The folder that contains all of them. */
  readonly root: string;
  /** The case folders, relative to `root`, sorted by name. */
  readonly cases: readonly string[];
}

/** Finds the suite of a folder: in the folder itself, in its `evals`, or at the place its plugin manifest names. */
export function findSuite(folder: string): FoundSuite | undefined {
  for (const root of new Set([suiteFolder(folder), join(folder, "evals"), folder])) {
    const found = readSuite(root);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The folder where a Claude Code plugin keeps its evals. */
export function suiteFolder(plugin: string): string {
  const named = readManifest(plugin)?.["experimental"];
  const evals = isJsonObject(named) ? named["evals"] : undefined;
  const inside = isFilled(evals) ? join(plugin, evals) : join(plugin, "evals");
  return isWithin(inside, plugin) ? inside : join(plugin, "evals");
}

/** The manifest of the plugin in this folder; undefined if it isn't a plugin. */
export function readManifest(folder: string): Readonly<Record<string, Json | undefined>> | undefined {
  try {
    const path = join(folder, ".claude-plugin", "plugin.json");
    const data = JSON.parse(readProjectText(path, { named: folder })) as Json;
    return isJsonObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function readSuite(root: string): FoundSuite | undefined {
  const cases = findCases(root, root, 0);
  return cases.length === 0 ? undefined : { root, cases };
}

/** Whether a folder contains cases. */
export const holdsCases = (folder: string): boolean => findCases(folder, folder, 0).length > 0;

function findCases(root: string, folder: string, depth: number): readonly string[] {
  if (isCase(folder)) return [relative(root, folder).split(sep).join("/") || "."];
  if (depth >= maxDepth) return [];
  return entriesOf(folder)
    .filter((entry) => entry.kind === "folder" && !entry.name.startsWith(".") && !notCases.has(entry.name))
    .flatMap(({ name }) => findCases(root, join(folder, name), depth + 1));
}

function entriesOf(folder: string): readonly ProjectEntry[] {
  try {
    return listProjectFolder(folder);
  } catch {
    return [];
  }
}

const maxDepth = 4;

/** Folders next to the cases. */
const notCases = new Set(["results", "mocks", "graders", "files", "fixtures", "node_modules"]);

function isCase(folder: string): boolean {
  const has = (name: string) => isThere(join(folder, name));
  return has("case.yaml") || (has("prompt.md") && has("graders"));
}
