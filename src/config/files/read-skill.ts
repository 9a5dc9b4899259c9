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
  /** Hears of files of the skill that are too large, or hold tasks. */
  readonly onLeftOut?: (problem: SkillProblem) => void;
  /** A file of the person's own, such as in their home: it may be a link to anywhere. @default false */
  readonly isPersonal?: boolean;
}

/**
 * A file, or a folder with SKILL.md: the files that are of the skill, up to 1 MB each. A file that reads as tasks is never
 * among them: answers to the tasks are no part of a skill.
 */
export async function readSkill(path: string, options: ReadSkillOptions = {}): Promise<Skill> {
  const { more = [], onLeftOut = () => {}, isPersonal = false } = options;
  const found = kindAt(path);
  if (found === undefined) {
    throw new WhetstoneError("not-found", `There is no skill at ${path}.`, {
      hint: `${meantPath(path)}Name a file, or a folder that holds SKILL.md.`,
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
    throw new WhetstoneError("skill-invalid", `The folder ${path} holds no SKILL.md.`, {
      hint: "Name the folder of an Agent Skill, or the skill's file itself.",
    });
  }
  const executable = small.flatMap(({ name, isExecutable }) => (isExecutable ? [name] : [])).toSorted();
  return { main: "SKILL.md", files, ...(executable.length === 0 ? {} : { executable }) };
}

/** A project around a SKILL.md isn't a skill, and a journal contains every answer. `journal` is the folder of ours. */
export function refuseProjectFolder(folder: string, journal?: string): void {
  const mark = findProjectMark(folder);
  const isOurs = journal !== undefined && isWithin(resolve(journal), resolve(folder));
  if (mark === undefined && !isOurs) return;
  const way =
    mark === undefined
      ? "Leave --journal out, or name a folder outside the skill"
      : "Move the skill to a folder of its own, such as skills/<name>/";
  throw new WhetstoneError(
    "skill-invalid",
    `The folder ${folder} contains more than a skill: ${mark ?? "the journal"} is inside it.`,
    { hint: `${way}, or name the file alone: ${join(folder, "SKILL.md")}.` },
  );
}

/** What the rules for Agent Skills say against the skill that was read from a path; an error among it is thrown. */
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
  message: `${main} is empty, so training begins with nothing.`,
  hint: "Write into it what the skill is for, unless that is meant.",
});

/** A person who names the file alone should know what else the skill has. */
function noticeFolder(folder: string, onLeftOut: (problem: SkillProblem) => void): void {
  const beside = listProjectFolder(folder)
    .map(({ name }) => name)
    .filter((name) => skillFolders.includes(name));
  if (beside.length === 0) return;
  onLeftOut({
    level: "warning",
    message: `Only SKILL.md is taken, without ${beside.join(", ")} beside it.`,
    hint:
      findProjectMark(folder) === undefined
        ? "Name the folder instead of the file to take the whole skill."
        : "To take the whole skill, move it to a folder of its own, such as skills/<name>/.",
  });
}

/** Why a listed file cannot be a part of the skill. One that was asked for by name is refused instead. */
async function findUnfit(root: string, file: ListedFile): Promise<SkillProblem | undefined> {
  const { name, bytes, isNamed } = file;
  if (name === "SKILL.md") return undefined;
  const problem = bytes > maxFileBytes ? tooLarge(file) : await findForeign(root, name);
  if (problem === undefined || !isNamed) return problem;
  throw new WhetstoneError("skill-invalid", problem.message, { hint: 'Remove it from "skillFiles".' });
}

const tooLarge = ({ name, bytes }: ListedFile): SkillProblem => ({
  level: "warning",
  message: `${name} is left out: it has ${(bytes / 1024 / 1024).toFixed(1)} MB, and a file of a skill at most 1 MB.`,
  hint: "The file itself stays as it is, but no agent will see it while training.",
});

/** By its content, whatever its format; prose is no table. A report of ours may have come under a name that the skill says. */
async function findForeign(root: string, name: string): Promise<SkillProblem | undefined> {
  const path = join(root, name);
  const text = encodeFile(readProjectFile(path, { named: root, most: maxFileBytes }));
  if (ownReport.test(text)) {
    const message = `${name} is left out: it is a report of a run.`;
    return { level: "advice", message, hint: "Write reports elsewhere with --out." };
  }
  if (!taskNames.test(name) && !/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  const read = await importTasks(path).catch(() => undefined);
  const invalid = read?.notUnderstood.filter(({ effect }) => effect === "invalid").length ?? 0;
  const count = (read?.tasks.length ?? 0) - invalid;
  if (count <= 0) return undefined;
  return {
    level: "warning",
    message: `${name} is left out: it reads as ${count === 1 ? "a task" : `${count} tasks`}, and answers are no part of a skill.`,
    hint: "Move it out of the skill. If it is no task file, write it as text.",
  };
}

const taskNames = /\.(?:json|jsonl|ndjson|ya?ml|csv|tsv)$/i;
const ownReport = /^<!doctype html>[\s\S]{0,2000}<title>Whetstone/i;

const mainIsLink = (folder: string): WhetstoneError =>
  new WhetstoneError(
    "skill-invalid",
    `${join(folder, "SKILL.md")} isn't a file, and links aren't followed.`,
    {
      hint: `Look at it with \`ls -l ${join(folder, "SKILL.md")}\`, then put the file itself there.`,
    },
  );

const needsFolder = (path: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `"skillFiles" is set, and the skill is the one file ${path}.`, {
    hint: "Name the skill's folder, or remove skillFiles.",
  });

function refuseTooMuch(path: string, files: readonly ListedFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= maxFolderBytes) return;
  const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
  throw new WhetstoneError(
    "skill-invalid",
    `The folder ${path} holds ${(bytes / 1024 / 1024).toFixed(1)} MB in ${files.length} files, and a skill at most 8 MB; the largest are ${largest.map(({ name }) => name).join(", ")}.`,
    { hint: "Move what is no part of the skill elsewhere, or into a folder whose name begins with a dot." },
  );
}

function asMain(path: string, bytes: Buffer): string {
  const text = encodeFile(bytes);
  if (bytes.length <= maxMainBytes && !isBinary(text)) return text;
  throw new WhetstoneError("skill-invalid", `${path} is not UTF-8 text of at most 256 kB.`, {
    hint: "A skill is a text file; name its SKILL.md.",
  });
}
