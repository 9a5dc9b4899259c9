import { lstat, readdir } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { readPlainText } from "../../adapters/read-plain-file.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { localLinks } from "../../core/skill/local-links.ts";
import { skillFolders } from "./skill-shape.ts";

export interface SkillList {
  /** Files and folders that belong to it beside what its shape says, from its folder: `config.skillFiles`. @default none */
  readonly more?: readonly string[];
  /** Paths that are never of the skill: tasks, graders. @default none */
  readonly except?: readonly string[];
}

export interface ListedFile {
  /** Relative, with forward slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
  /** It was asked for by its own name. */
  readonly isNamed: boolean;
}

/**
 * The files of a skill folder: SKILL.md, what is in references, scripts and assets, what a markdown file among them links
 * to, and what was named. Anything else that lies there is not of the skill, and links of the file system are not followed.
 */
export async function listSkillFiles(
  root: string,
  { more = [], except = [] }: SkillList,
): Promise<readonly ListedFile[]> {
  const found = new Map<string, ListedFile>();
  const never = new Set([join(root, "evals"), ...except]);
  const isNever = (name: string) =>
    upwards(name).some((part) => skippedNames.test(basename(part)) || never.has(join(root, part)));

  /** Takes a file, or all of a folder; false when there is neither. */
  async function take(name: string, isNamed = false): Promise<boolean> {
    if (found.has(name)) return true;
    const entry = isNever(name) ? undefined : await lookAt(root, name);
    if (entry === undefined) return false;
    if (entry.isDirectory()) {
      const names = (await readdir(join(root, name))).toSorted();
      for (const inner of names) await take(`${name}/${inner}`);
      return true;
    }
    found.set(name, {
      name,
      bytes: entry.size,
      isExecutable: (entry.mode & 0o111) !== 0,
      isNamed,
    });
    if (/\.(?:md|mdc|markdown)$/i.test(name)) await follow(name);
    return true;
  }

  /** A path is meant from the file that names it, or else from the skill's folder. */
  async function follow(name: string): Promise<void> {
    const text = await readPlainText(join(root, name));
    for (const path of localLinks(text, { inCode: true })) {
      for (const target of [posix.join(posix.dirname(name), path), posix.normalize(path)])
        if (isInside(target) && (await lookAt(root, target))?.isFile() === true && (await take(target)))
          break;
    }
  }

  await take("SKILL.md");
  for (const name of (await readdir(root)).toSorted())
    if (skillFolders.includes(name.toLowerCase())) await take(name);
  for (const written of more) {
    const name = posix.normalize(written.replace(/\/+$/, ""));
    if (!isInside(name) || !(await take(name, true))) throw notThere(written, root);
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const skippedNames = /^(?:\..*|node_modules|__pycache__|whetstone\.config\.\w+)$/;

/** A path and the folders that it lies in. */
const upwards = (name: string): readonly string[] =>
  name.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));

const isInside = (name: string): boolean => name !== "." && !/^(?:\.\.(?:\/|$)|\/)/.test(name);

/** A file or a folder; undefined where there is none, or where a link could lead outside the skill. */
async function lookAt(root: string, name: string) {
  for (const part of upwards(name).slice(0, -1))
    if ((await lstat(join(root, part)).catch(() => undefined))?.isDirectory() !== true) return undefined;
  const entry = await lstat(join(root, name)).catch(() => undefined);
  return entry?.isFile() === true || entry?.isDirectory() === true ? entry : undefined;
}

const notThere = (written: string, root: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `"skillFiles" names ${written}, which cannot be a part of ${root}.`, {
    hint: "Name files and folders from the skill's folder, such as notes.md or examples/; hidden files, links and tasks are none.",
  });
