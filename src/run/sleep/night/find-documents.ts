import { existsSync, readFileSync, statSync, realpathSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { isWithin } from "../../../adapters/transcripts/project-matcher.ts";
import { calledSkill } from "../../../adapters/transcripts/skill-name.ts";
import { readSkill } from "../../../config/files/read-skill.ts";
import { findProjectMark } from "../../../config/files/skill-shape.ts";
import type { SourceName } from "../../../core/sleep/mine/digest.ts";
import type { Document } from "../../../core/sleep/rules/document.ts";

export interface DocumentPlaces {
  /** Absolute. */
  readonly project: string;
  readonly home: string;
  /** The file of standing instructions, when the person named one. */
  readonly memory?: string;
  readonly skillRoots: readonly string[];
}

export interface FoundDocuments {
  /** Skills that were used, then the project's memory, then the person's own. */
  readonly documents: readonly Document[];
  /** What a person should know, one sentence each. */
  readonly notes: readonly string[];
}

/** The texts that could be improved: the skills that were used, and what the agents of the conversations always read. */
export async function findDocuments(
  used: readonly string[],
  sources: readonly SourceName[],
  places: DocumentPlaces,
): Promise<FoundDocuments> {
  const notes: string[] = [];
  const names = [...new Set(used.map(calledSkill))].toSorted();
  const skills: Document[] = [];
  for (const name of names) {
    const found = await findSkill(name, places);
    if (typeof found === "string") notes.push(found);
    else skills.push(found);
  }
  const source = mostUsed(sources);
  const memory = places.memory ?? join(places.project, projectMemory(source, places.project));
  const personal = personalMemory[source];
  return {
    documents: [
      ...skills,
      await readMemory(memory, "project", places.project),
      ...(personal === undefined
        ? []
        : [await readMemory(join(places.home, personal), "personal", places.home)]),
    ],
    notes,
  };
}

const skillFolders = [
  ".claude/skills",
  ".agents/skills",
  ".codex/skills",
  ".opencode/skills",
  ".opencode/skill",
  ".cursor/skills",
  ".pi/skills",
  ".gemini/skills",
];
const homeFolders = [
  ...skillFolders,
  ".pi/agent/skills",
  ".config/opencode/skills",
  ".config/opencode/skill",
];

/** The one folder of that name; a sentence when there is none, more than one, or only a plugin's copy, which updates overwrite. */
async function findSkill(
  name: string,
  { project, home, skillRoots }: DocumentPlaces,
): Promise<Document | string> {
  if (!/^[\w.-]+$/.test(name))
    return `A skill called ${JSON.stringify(name)} was used; that is no folder's name.`;
  const inProject = places(name, project, skillFolders);
  const found = inProject.length > 0 ? inProject : places(name, home, homeFolders);
  const all = [...new Set([...found, ...places(name, "", skillRoots)])];
  const [path] = all;
  if (path === undefined)
    return `The skill ${name} was used, but lies in no folder of this project or of yours, so nothing is learned for it.`;
  if (all.length > 1)
    return `The skill ${name} lies in several places (${all.join(", ")}), so nothing is learned for it.`;
  if (/[\\/]plugins?[\\/]/.test(path))
    return `The skill ${name} belongs to a plugin, whose updates would undo any change.`;
  const scope = isWithin(path, project) ? "project" : "personal";
  const id = `${scope === "personal" ? "personal:" : ""}skill:${name}`;
  const mark = findProjectMark(path);
  if (mark !== undefined)
    return `The skill ${name} lies in a folder with ${mark}, which is more than a skill, so nothing is learned for it.`;
  return { id, kind: "skill", scope, name, path, skill: await readSkill(path) };
}

const places = (name: string, root: string, folders: readonly string[]): readonly string[] =>
  folders
    .map((folder) => join(root, folder, name))
    .filter((path) => existsSync(join(path, "SKILL.md")))
    .map((path) => realpathSync(path));

async function readMemory(path: string, scope: Document["scope"], root: string): Promise<Document> {
  const shown = isWithin(path, root) ? relative(root, path).split(sep).join("/") : basename(path);
  const id = `${scope === "personal" ? "personal:" : ""}memory:${shown}`;
  const text = existsSync(path) ? (await readSkill(path)).files : { [basename(path)]: "" };
  return { id, kind: "memory", scope, name: shown, path, skill: { main: basename(path), files: text } };
}

function mostUsed(sources: readonly SourceName[]): SourceName {
  const counts = Map.groupBy(sources, (source) => source);
  const [first] = [...counts].toSorted(
    ([a, ours], [b, theirs]) => theirs.length - ours.length || (a < b ? -1 : 1),
  );
  return first?.[0] ?? "claude-code";
}

/** What each agent reads in a project; Claude Code follows `@AGENTS.md`, so a file that only points there is left as it is. */
function projectMemory(source: SourceName, project: string): string {
  const own = { "claude-code": "CLAUDE.md", "gemini-cli": "GEMINI.md" } as const;
  const file = source === "claude-code" || source === "gemini-cli" ? own[source] : "AGENTS.md";
  const path = join(project, file);
  if (file === "AGENTS.md" || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return file;
  return /^@(?:\.\/)?AGENTS\.md\s*$/m.test(readFileSync(path, "utf8")) ? "AGENTS.md" : file;
}

/** What each agent reads of the person's own, from their home; the others keep such rules where no file is. */
const personalMemory: Readonly<Partial<Record<SourceName, string>>> = {
  "claude-code": ".claude/CLAUDE.md",
  codex: ".codex/AGENTS.md",
  opencode: ".config/opencode/AGENTS.md",
  "copilot-cli": ".copilot/copilot-instructions.md",
  pi: ".pi/agent/AGENTS.md",
  "gemini-cli": ".gemini/GEMINI.md",
};
