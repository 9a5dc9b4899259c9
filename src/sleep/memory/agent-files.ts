import type { AgentReads } from "../../adapters/coding-agents/coding-agent.ts";
import { allCodingAgents } from "../../adapters/coding-agents/coding-agents.ts";

/** A file of standing instructions in a project. */
export interface InstructionFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The file that it is a link to. */
  readonly linkTo?: string;
}

/** The files that agents read at a project's root, according to their makers. */
const readings: Readonly<Record<string, AgentReads>> = Object.fromEntries(
  allCodingAgents.map(({ name, reads }) => [name, reads]),
);

const usual: AgentReads = { files: ["AGENTS.md"] };

/** All files that some agent reads. */
export const instructionFiles: readonly string[] = [
  ...new Set([...Object.values(readings), usual].flatMap(({ files }) => files)),
];

/** The files that an agent reads, imports first. If none exists, the one that would be created for it. */
export function filesRead(agent: string, files: readonly InstructionFile[]): readonly string[] {
  const { files: own, firstOnly = false, followsImports = false } = readings[agent] ?? usual;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const there = own.flatMap((path) => byPath.get(path) ?? []).slice(0, firstOnly ? 1 : undefined);
  const read = new Set<string>();
  const look = (file: InstructionFile | undefined, seen: readonly string[]) => {
    if (file === undefined || seen.includes(file.path)) return;
    const target = file.linkTo ?? file.path;
    if (followsImports)
      for (const path of importsOf(file, byPath)) look(byPath.get(path), [...seen, file.path, target]);
    read.add(target);
  };
  for (const file of there) look(file, []);
  return read.size > 0 ? [...read] : own.slice(0, 1);
}

/** Known files that a text imports, outside code. */
function importsOf(
  { path, text }: InstructionFile,
  known: ReadonlyMap<string, InstructionFile>,
): readonly string[] {
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return [...prose.matchAll(/(?<=^|\s)@((?:\.{0,2}\/)?[\w./-]+\.md)\b/gm)]
    .map(([, name = ""]) => joinPath(folder, name))
    .filter((name) => known.has(name));
}

function joinPath(folder: string, name: string): string {
  const parts: string[] = [];
  for (const part of `${folder}${name}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/**
 * A small set of files of which each agent reads at least one. Files that most agents read come first; on a tie, an agent's
 * first, which is what its own file imports and others read too.
 */
export function coverAgents(
  agents: readonly string[],
  readsOf: (agent: string) => readonly string[],
): readonly string[] {
  const chosen: string[] = [];
  let open = [...new Set(agents)];
  while (open.length > 0) {
    const counts = new Map<string, number>();
    for (const file of open.flatMap(readsOf)) counts.set(file, (counts.get(file) ?? 0) + 1);
    const [best] = [...counts].toSorted(([, a], [, b]) => b - a);
    // the remaining agents read no file
    if (best === undefined) return chosen;
    chosen.push(best[0]);
    open = open.filter((agent) => !readsOf(agent).includes(best[0]));
  }
  return chosen;
}

export interface FilesForInput {
  /** The agents of the conversations, most used first. */
  readonly agents: readonly string[];
  /** The existing files. */
  readonly files: readonly InstructionFile[];
  /** Files of other agents that a person allowed by name. */
  readonly allowed?: readonly string[];
}

/** A file to write, and every agent that reads it. */
export interface ServingFile {
  readonly path: string;
  readonly readBy: readonly string[];
  /** A person allowed it by name. */
  readonly isAllowed: boolean;
}

/**
 * The files that rules go into, so that every agent of the history reads each rule once. A file isn't written if it imports
 * another one that is. Files of other agents are included only if a person allowed them by name.
 */
export function filesFor({ agents, files, allowed = [] }: FilesForInput): readonly ServingFile[] {
  const named = allowed.map((path) => files.find((file) => file.path === path)?.linkTo ?? path);
  const known = [...new Set([...agents, ...Object.keys(readings)])];
  const serving = (path: string): ServingFile => ({
    path,
    readBy: known.filter((agent) => filesRead(agent, files).includes(path)),
    isAllowed: named.includes(path),
  });
  const chosen = coverAgents(agents, (agent) => filesRead(agent, files)).map(serving);
  const more = named.filter((path) => chosen.every((one) => one.path !== path)).map(serving);
  return [...chosen, ...unservedBy(chosen, more)];
}

/** The files read by some agent that reads none of the chosen files. */
export function unservedBy<File extends { readonly readBy?: readonly string[] }>(
  chosen: readonly File[],
  more: readonly File[],
): readonly File[] {
  const served = new Set(chosen.flatMap(({ readBy = [] }) => readBy));
  return more.filter(({ readBy = [] }) => readBy.length === 0 || readBy.some((agent) => !served.has(agent)));
}
