import { existsSync, readFileSync, statSync, realpathSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import {
  allCodingAgents,
  codingAgents,
  agentSkillFolders,
} from "../../adapters/coding-agents/coding-agents.ts";
import { isWithin } from "../../adapters/project-matcher.ts";
import { calledSkill } from "../../adapters/transcripts/record-fields.ts";
import { readSkill } from "../../config/files/read-skill.ts";
import { findProjectMark } from "../../config/files/skill-shape.ts";
import { type InstructionFile, filesFor, instructionFiles } from "../memory/agent-files.ts";
import type { SourceName } from "../../core/ports/conversation.ts";
import type { Document } from "../../core/rules/learned/document.ts";

export interface DocumentPlaces {
  /** Absolute. */
  readonly project: string;
  readonly home: string;
  /** The file of standing instructions, if the person named one. */
  readonly memory?: string;
  /** Files of other agents that the person allowed by name, relative to the project's folder. */
  readonly allowed?: readonly string[];
  readonly skillRoots: readonly string[];
}

export interface FoundDocuments {
  /** The used skills, then the project's files that the agents read, then the person's own. */
  readonly documents: readonly Document[];
  /** Notes for the person, one sentence each. */
  readonly notes: readonly string[];
}

/** The texts to improve: the skills that were used, and the files that the conversations' agents always read. */
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
  const agents = byUse(sources);
  const { project, home, memory, allowed } = places;
  const shared =
    memory === undefined
      ? filesFor({ agents, files: readInstructionFiles(project), allowed })
      : [{ path: memory, readBy: agents, isAllowed: false }];
  const own = [...Map.groupBy(agents, (agent) => codingAgents[agent].memory)];
  const documents = [...skills];
  for (const { path, ...facts } of shared) {
    const place = resolve(project, path);
    if (memory === undefined && leadsOut(place, project))
      notes.push(`${path} is a link out of the project, so it isn't read and nothing is learned for it.`);
    else documents.push({ ...(await readMemory(place, "project", project)), ...facts });
  }
  for (const [path, readBy] of own)
    if (path !== undefined)
      documents.push({ ...(await readMemory(join(home, path), "personal", home)), readBy });
  return { documents, notes };
}

const homeFolders = [...agentSkillFolders, ...allCodingAgents.flatMap(({ skills }) => skills.home)];

/** The skill's folder; a sentence if none or several exist, or only a plugin's copy, which updates overwrite. */
async function findSkill(
  name: string,
  { project, home, skillRoots }: DocumentPlaces,
): Promise<Document | string> {
  if (!/^[\w.-]+$/.test(name))
    return `A skill called ${JSON.stringify(name)} was used, but that can't be a folder's name.`;
  const inProject = places(name, project, agentSkillFolders);
  const found = inProject.length > 0 ? inProject : places(name, home, homeFolders);
  const all = [...new Set([...found, ...places(name, "", skillRoots)])];
  const [path] = all;
  if (path === undefined)
    return `The skill ${name} was used, but isn't in a skill folder of this project or of yours, so nothing is learned for it.`;
  if (all.length > 1)
    return `The skill ${name} is in several places (${all.join(", ")}), so nothing is learned for it.`;
  if (/[\\/]plugins?[\\/]/.test(path))
    return `The skill ${name} belongs to a plugin, whose updates would overwrite any change.`;
  const scope = isWithin(path, project) ? "project" : "personal";
  const id = `${scope === "personal" ? "personal:" : ""}skill:${name}`;
  const mark = findProjectMark(path);
  if (mark !== undefined)
    return `The skill ${name} is in a folder with ${mark}, which is more than a skill, so nothing is learned for it.`;
  return { id, kind: "skill", scope, name, path, skill: await readSkill(path) };
}

const places = (name: string, root: string, folders: readonly string[]): readonly string[] =>
  folders
    .map((folder) => join(root, folder, name))
    .filter((path) => existsSync(join(path, "SKILL.md")))
    .map((path) => realpathSync(path));

async function readMemory(path: string, scope: Document["scope"], root: string): Promise<Document> {
  const shown = isWithin(path, root) ? posixPath(root, path) : basename(path);
  const id = `${scope === "personal" ? "personal:" : ""}memory:${shown}`;
  const text = existsSync(path)
    ? (await readSkill(path, { isPersonal: true })).files
    : { [basename(path)]: "" };
  return { id, kind: "memory", scope, name: shown, path, skill: { main: basename(path), files: text } };
}

/** Agents, most used first; Claude Code if unknown. */
function byUse(sources: readonly SourceName[]): readonly SourceName[] {
  const counts = Map.groupBy(sources, (source) => source);
  const ordered = [...counts].toSorted(
    ([a, ours], [b, theirs]) => theirs.length - ours.length || (a < b ? -1 : 1),
  );
  return ordered.length === 0 ? ["claude-code"] : ordered.map(([source]) => source);
}

/** The existing files of standing instructions; a link within the project counts as its target. */
function readInstructionFiles(project: string): readonly InstructionFile[] {
  return instructionFiles.flatMap((path): readonly InstructionFile[] => {
    const place = join(project, path);
    if (statSync(place, { throwIfNoEntry: false })?.isFile() !== true || leadsOut(place, project)) return [];
    const real = realpathSync(place);
    const linkTo = real === place || !isWithin(real, project) ? {} : { linkTo: posixPath(project, real) };
    return [{ path, text: readFileSync(place, "utf8"), ...linkTo }];
  });
}

const leadsOut = (place: string, project: string): boolean =>
  existsSync(place) && !isWithin(realpathSync(place), realpathSync(project));

const posixPath = (root: string, path: string): string => relative(root, path).split(sep).join("/");
