import { basename, dirname, join, resolve } from "node:path";
import { meantPath } from "../../adapters/meant-path.ts";
import { isThere, kindAt, listProjectFolder, readProjectFile } from "../../adapters/project-file.ts";
import { readPlainFile } from "../../adapters/read-plain-file.ts";
import { importTasks } from "../../adapters/importers/import-tasks.ts";
import { isWithin } from "../../adapters/project-matcher.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { encodeFile, isBinary } from "../../core/files.ts";
import { type Skill, mainText, singleFileSkill } from "../../core/skill/skill.ts";
import { type SkillProblem, validateSkill } from "../../core/skill/validate-skill.ts";
import { type ListedFile, listSkillFiles, type SkillList } from "./list-skill-files.ts";
import { findProjectMark, skillFolders } from "./skill-shape.ts";

const maxMainBytes = 256 * 1024;
const maxFileBytes = 1024 * 1024;
const maxFolderBytes = 8 * 1024 * 1024;

export interface ReadSkillOptions extends SkillList {
  /** Called with each file of the skill that is too large or contains tasks. */
  readonly onLeftOut?: (problem: SkillProblem) => void;
  /** A file of the user's own, such as one in their home. It may be a link to anywhere. @default false */
  readonly isPersonal?: boolean;
}

/**
 * Reads a file, or the skill's files from a folder with SKILL.md, up to 1 MB each. A file that parses as tasks
 * is always left out, because answers to the tasks don't belong in a skill.
 */
export async function readSkill(path: string, options: ReadSkillOptions = {}): Promise<Skill> {
  const { more = [], onLeftOut = () => {}, isPersonal = false } = options;
  const found = kindAt(path);
  if (found === undefined) {
    throw new WhetstoneError("not-found", `No skill found at ${path}.`, {
      hint: `${meantPath(path)}Name a file, or a folder that contains SKILL.md.`,
    });
  }
  if (found !== "folder") {
    if (more.length > 0) throw needsFolder(path);
    if (/\.(?:jsonl|csv)$/.test(path))
      throw new WhetstoneError("skill-invalid", `${path} is a file of tasks, not a skill.`, {
        hint: `Name the skill first, then the tasks: --tasks ${path}`,
      });
    const skill = singleFileSkill(
      asMain(path, isPersonal ? await readPlainFile(path) : readProjectFile(path)),
      basename(path),
    );
    if (skill.main === "SKILL.md") noticeFolder(dirname(path), onLeftOut);
    return skill;
  }
  const small: ListedFile[] = [];
  for (const file of listSkillFiles(path, options)) {
    const problem = await findUnfit(path, file);
    if (problem === undefined) small.push(file);
    else onLeftOut(problem);
  }
  refuseTooMuch(path, small);
  const files: Record<string, string> = {};
  for (const { name } of small) {
    const place = join(path, name);
    files[name] =
      name === "SKILL.md"
        ? asMain(place, readProjectFile(place, { named: path }))
        : encodeFile(readProjectFile(place, { named: path, most: maxFileBytes }));
  }
  if (files["SKILL.md"] === undefined) {
    if (isThere(join(path, "SKILL.md"))) throw mainIsLink(path);
    throw new WhetstoneError("skill-invalid", `The folder ${path} doesn't contain a SKILL.md.`, {
      hint: "Name an Agent Skill's folder, or the skill file itself.",
    });
  }
  const executable = small.flatMap(({ name, isExecutable }) => (isExecutable ? [name] : [])).toSorted();
  return { main: "SKILL.md", files, ...(executable.length === 0 ? {} : { executable }) };
}

/** A project with a SKILL.md isn't a skill, and a journal contains every answer. `journal` is our journal's folder. */
export function refuseProjectFolder(folder: string, journal?: string): void {
  const mark = findProjectMark(folder);
  const isOurs = journal !== undefined && isWithin(resolve(journal), resolve(folder));
  if (mark === undefined && !isOurs) return;
  const way =
    mark === undefined
      ? "Remove --journal, or name a folder outside the skill"
      : "Move the skill to a folder of its own, such as skills/<name>/";
  throw new WhetstoneError(
    "skill-invalid",
    `The folder ${folder} contains more than a skill: ${mark ?? "the journal"} is inside it.`,
    { hint: `${way}, or name the file alone: ${join(folder, "SKILL.md")}.` },
  );
}

/** Checks a skill read from a path against the Agent Skills rules. Errors are thrown. */
export function checkSkill(skill: Skill, path: string | undefined): readonly SkillProblem[] {
  if (path !== undefined && mainText(skill).trim() === "") return [emptySkill(skill)];
  const isFolder = path !== undefined && basename(path) !== skill.main;
  const problems = validateSkill(skill, isFolder ? basename(resolve(path)) : undefined);
  const errors = problems.filter(({ level }) => level === "error");
  const [first] = errors;
  if (first === undefined) return problems;
  const more = errors.slice(1).map(({ message, hint }) => ` ${message} ${hint}`);
  throw new WhetstoneError("skill-invalid", first.message, { hint: first.hint + more.join("") });
}

const emptySkill = ({ main }: Skill): SkillProblem => ({
  level: "warning",
  message: `${main} is empty, so training starts from nothing.`,
  hint: "If you didn't intend that, describe in it what the skill is for.",
});

/** If only the file was named, say what else the skill contains. */
function noticeFolder(folder: string, onLeftOut: (problem: SkillProblem) => void): void {
  const beside = listProjectFolder(folder)
    .map(({ name }) => name)
    .filter((name) => skillFolders.includes(name));
  if (beside.length === 0) return;
  onLeftOut({
    level: "warning",
    message: `Only SKILL.md is used, without ${beside.join(", ")} next to it.`,
    hint:
      findProjectMark(folder) === undefined
        ? "Name the folder instead of the file to use the whole skill."
        : "To use the whole skill, move it to a folder of its own, such as skills/<name>/.",
  });
}

/** Why a listed file can't be part of the skill. If it was requested by name, it's an error instead. */
async function findUnfit(root: string, file: ListedFile): Promise<SkillProblem | undefined> {
  const { name, bytes, isNamed } = file;
  if (name === "SKILL.md") return undefined;
  const problem = bytes > maxFileBytes ? tooLarge(file) : await findForeign(root, name);
  if (problem === undefined || !isNamed) return problem;
  throw new WhetstoneError("skill-invalid", problem.message, { hint: 'Remove it from "skillFiles".' });
}

const tooLarge = ({ name, bytes }: ListedFile): SkillProblem => ({
  level: "warning",
  message: `${name} is left out: it is ${(bytes / 1024 / 1024).toFixed(1)} MB, and a skill file can be at most 1 MB.`,
  hint: "The file itself isn't changed, but agents won't see it during training.",
});

/** Decided by content, whatever the format; prose isn't a table. A report of ours may be at a path the skill names. */
async function findForeign(root: string, name: string): Promise<SkillProblem | undefined> {
  const path = join(root, name);
  const text = encodeFile(readProjectFile(path, { named: root, most: maxFileBytes }));
  if (ownReport.test(text)) {
    const message = `${name} is left out: it is a run report.`;
    return { level: "advice", message, hint: "Write reports elsewhere with --out." };
  }
  if (!taskNames.test(name) && !/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  const read = await importTasks(path).catch(() => undefined);
  const invalid = read?.notUnderstood.filter(({ effect }) => effect === "invalid").length ?? 0;
  const count = (read?.tasks.length ?? 0) - invalid;
  if (count <= 0) return undefined;
  return {
    level: "warning",
    message: `${name} is left out: it contains ${count === 1 ? "a task" : `${count} tasks`}, and answers don't belong in a skill.`,
    hint: "Move it out of the skill. If it isn't a task file, write it as prose.",
  };
}

const taskNames = /\.(?:json|jsonl|ndjson|ya?ml|csv|tsv)$/i;
const ownReport = /^<!doctype html>[\s\S]{0,2000}<title>Whetstone/i;

const mainIsLink = (folder: string): WhetstoneError =>
  new WhetstoneError(
    "skill-invalid",
    `${join(folder, "SKILL.md")} isn't a file, and links aren't followed.`,
    {
      hint: `Check it with \`ls -l ${join(folder, "SKILL.md")}\`, then put the file itself there.`,
    },
  );

const needsFolder = (path: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `"skillFiles" is set, but the skill is the single file ${path}.`, {
    hint: "Name the skill's folder, or remove skillFiles.",
  });

function refuseTooMuch(path: string, files: readonly ListedFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= maxFolderBytes) return;
  const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
  throw new WhetstoneError(
    "skill-invalid",
    `The folder ${path} contains ${(bytes / 1024 / 1024).toFixed(1)} MB in ${files.length} files, and a skill can be at most 8 MB. The largest are ${largest.map(({ name }) => name).join(", ")}.`,
    {
      hint: "Move files that don't belong to the skill elsewhere, or into a folder whose name starts with a dot.",
    },
  );
}

function asMain(path: string, bytes: Buffer): string {
  const text = encodeFile(bytes);
  if (bytes.length <= maxMainBytes && !isBinary(text)) return text;
  throw new WhetstoneError("skill-invalid", `${path} isn't UTF-8 text of at most 256 kB.`, {
    hint: "A skill is a text file; name its SKILL.md.",
  });
}
