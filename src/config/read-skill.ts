import { readFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { encodeFile, isBinary } from "../core/files.ts";
import { type Skill, singleFileSkill } from "../core/skill/skill.ts";
import { type SkillProblem, validateSkill } from "../core/skill/validate-skill.ts";
import { skillFolders } from "./guess.ts";

const maxMainBytes = 256 * 1024;
const maxFileBytes = 1024 * 1024;
const maxFolderBytes = 8 * 1024 * 1024;
const skippedNames = /^(?:\..*|node_modules|__pycache__|whetstone\.config\.\w+)$/;

/**
 * A file, or a folder with SKILL.md: all its files up to 1 MB. Hidden files, links, node_modules, our own config, the
 * folder `evals` and the paths in `except` stay out: answers to the tasks are no part of a skill. `onLeftOut` hears of
 * files that are too large.
 */
export async function readSkill(
  path: string,
  except: readonly string[] = [],
  onLeftOut: (problem: SkillProblem) => void = () => {},
): Promise<Skill> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new WhetstoneError("not-found", `There is no skill at ${path}.`, {
      hint: "Name a file, or a folder that holds SKILL.md.",
    });
  }
  if (!found.isDirectory()) {
    const skill = singleFileSkill(await readMain(path), basename(path));
    if (skill.main === "SKILL.md") await noticeFolder(dirname(path), onLeftOut);
    return skill;
  }
  const listed = await listFiles(path, new Set([join(path, "evals"), ...except]));
  const small = listed.filter(({ name, bytes }) => name === "SKILL.md" || bytes <= maxFileBytes);
  for (const { name, bytes } of listed.filter((file) => !small.includes(file))) {
    onLeftOut({
      level: "warning",
      message: `${name} is left out: it has ${(bytes / 1024 / 1024).toFixed(1)} MB, and a file of a skill at most 1 MB.`,
      hint: "The file itself stays as it is, but no agent will see it while training.",
    });
  }
  refuseTooMuch(path, small);
  const files: Record<string, string> = {};
  for (const { name } of small) {
    const place = join(path, name);
    files[name] = name === "SKILL.md" ? await readMain(place) : encodeFile(await readFile(place));
  }
  if (files["SKILL.md"] === undefined) {
    throw new WhetstoneError("skill-invalid", `The folder ${path} holds no SKILL.md.`, {
      hint: "Name the folder of an Agent Skill, or the skill's file itself.",
    });
  }
  const executable = small.flatMap(({ name, isExecutable }) => (isExecutable ? [name] : [])).toSorted();
  return { main: "SKILL.md", files, ...(executable.length === 0 ? {} : { executable }) };
}

/** What the rules for Agent Skills say against the skill that was read from a path; an error among it is thrown. */
export function checkSkill(skill: Skill, path: string | undefined): readonly SkillProblem[] {
  const isFolder = path !== undefined && basename(path) !== skill.main;
  const problems = validateSkill(skill, isFolder ? basename(resolve(path)) : undefined);
  const errors = problems.filter(({ level }) => level === "error");
  const [first] = errors;
  if (first === undefined) return problems;
  const more = errors.slice(1).map(({ message, hint }) => ` ${message} ${hint}`);
  throw new WhetstoneError("skill-invalid", first.message, { hint: first.hint + more.join("") });
}

/** Whoever names the file alone should know what else the skill has. */
async function noticeFolder(folder: string, onLeftOut: (problem: SkillProblem) => void): Promise<void> {
  const beside = (await readdir(folder)).filter((name) => skillFolders.includes(name));
  if (beside.length === 0) return;
  onLeftOut({
    level: "warning",
    message: `Only SKILL.md is taken, without ${beside.toSorted().join(", ")} beside it.`,
    hint: "Name the folder instead of the file to take the whole skill.",
  });
}

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

async function readMain(path: string): Promise<string> {
  const bytes = await readFile(path);
  const text = encodeFile(bytes);
  if (bytes.length <= maxMainBytes && !isBinary(text)) return text;
  throw new WhetstoneError("skill-invalid", `${path} is not UTF-8 text of at most 256 kB.`, {
    hint: "A skill is a text file; name its SKILL.md.",
  });
}

interface ListedFile {
  /** Relative, with forward slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
}

async function listFiles(
  root: string,
  except: ReadonlySet<string>,
  folder = root,
): Promise<readonly ListedFile[]> {
  const files: ListedFile[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (skippedNames.test(entry.name) || except.has(path)) continue;
    // a link could lead outside the skill
    if (entry.isDirectory()) files.push(...(await listFiles(root, except, path)));
    else if (entry.isFile()) {
      const { size, mode } = await stat(path);
      const name = relative(root, path).split(sep).join("/");
      files.push({ name, bytes: size, isExecutable: (mode & 0o111) !== 0 });
    }
  }
  return files;
}
