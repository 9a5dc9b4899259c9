import { basename, join, posix } from "node:path";
import { factsAt, listProjectFolder, readProjectText } from "../../adapters/project-file.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { localLinks } from "../../core/skill/local-links.ts";
import { skillFolders } from "./skill-shape.ts";

export interface SkillList {
  /** Extra files and folders of the skill, relative to its folder: `config.skillFiles`. @default none */
  readonly more?: readonly string[];
  /** Paths that never belong to the skill, such as tasks and graders. @default none */
  readonly except?: readonly string[];
}

export interface ListedFile {
  /** Relative, with forward slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
  /** Whether it was requested by name. */
  readonly isNamed: boolean;
}

/**
 * The files of a skill folder: SKILL.md, the contents of references, scripts and assets, the files that their
 * Markdown links to, and the files that were named. Anything else is left out, and symbolic links aren't followed.
 */
export function listSkillFiles(root: string, { more = [], except = [] }: SkillList): readonly ListedFile[] {
  const found = new Map<string, ListedFile>();
  const never = new Set([join(root, "evals"), ...except]);
  const isNever = (name: string) =>
    upwards(name).some((part) => skippedNames.test(basename(part)) || never.has(join(root, part)));

  /** Adds a file, or everything in a folder. Returns false if neither exists. */
  function take(name: string, isNamed = false): boolean {
    if (found.has(name)) return true;
    const entry = isNever(name) ? undefined : lookAt(root, name);
    if (entry === undefined) return false;
    if (entry.isDirectory()) {
      for (const inner of listProjectFolder(join(root, name), root)) take(`${name}/${inner.name}`);
      return true;
    }
    found.set(name, {
      name,
      bytes: entry.size,
      isExecutable: (entry.mode & 0o111) !== 0,
      isNamed,
    });
    if (entry.size <= maxLinkingBytes && /\.(?:md|mdc|markdown)$/i.test(name)) follow(name);
    return true;
  }

  /** Paths are resolved against the file that names them, or else against the skill's folder. */
  function follow(name: string): void {
    const text = readProjectText(join(root, name), { named: root });
    for (const path of localLinks(text, { inCode: true })) {
      for (const target of [posix.join(posix.dirname(name), path), posix.normalize(path)])
        if (isInside(target) && lookAt(root, target)?.isFile() === true && take(target)) break;
    }
  }

  take("SKILL.md");
  for (const { name } of listProjectFolder(root)) if (skillFolders.includes(name.toLowerCase())) take(name);
  for (const written of more) {
    const name = posix.normalize(written.replace(/\/+$/, ""));
    if (!isInside(name) || !take(name, true)) throw notThere(written, root);
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A larger file would be refused anyway. */
const maxLinkingBytes = 1024 * 1024;

const skippedNames = /^(?:\..*|node_modules|__pycache__|whetstone\.config\.\w+)$/;

/** A path and every folder above it. */
const upwards = (name: string): readonly string[] =>
  name.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));

const isInside = (name: string): boolean => name !== "." && !/^(?:\.\.(?:\/|$)|\/)/.test(name);

/** A file or a folder; undefined if it doesn't exist or a link could lead outside the skill. */
function lookAt(root: string, name: string) {
  for (const part of upwards(name).slice(0, -1))
    if (factsAt(join(root, part))?.isDirectory() !== true) return undefined;
  const entry = factsAt(join(root, name));
  return entry?.isFile() === true || entry?.isDirectory() === true ? entry : undefined;
}

const notThere = (written: string, root: string): WhetstoneError =>
  new WhetstoneError("config-invalid", `"skillFiles" names ${written}, which can't be part of ${root}.`, {
    hint: "Name files and folders inside the skill's folder, such as notes.md or examples/. Hidden files, links and tasks aren't allowed.",
  });
