import { readFile, readdir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { WhetstoneError } from "../core/errors.ts";
import { type Skill, singleFileSkill } from "../core/skill/skill.ts";

const maxFileBytes = 256 * 1024;
const skippedNames = /^(?:\..*|node_modules|whetstone\.config\.\w+)$/;

/**
 * A file, or a folder with SKILL.md: all its UTF-8 text files up to 256 kB. Hidden files, node_modules, our own
 * config, the folder `evals` and the paths in `except` stay out: answers to the tasks are no part of a skill.
 */
export async function readSkill(path: string, except: readonly string[] = []): Promise<Skill> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new WhetstoneError("not-found", `There is no skill at ${path}.`, {
      hint: "Name a file, or a folder that holds SKILL.md.",
    });
  }
  if (!found.isDirectory()) return singleFileSkill(await readMain(path), basename(path));
  const files: Record<string, string> = {};
  for (const file of await listFiles(path, new Set([join(path, "evals"), ...except]))) {
    const name = relative(path, file).split(sep).join("/");
    const text = name === "SKILL.md" ? await readMain(file) : await readText(file);
    if (text !== undefined) files[name] = text;
  }
  if (files["SKILL.md"] === undefined) {
    throw new WhetstoneError("skill-invalid", `The folder ${path} holds no SKILL.md.`, {
      hint: "Name the folder of an Agent Skill, or the skill's file itself.",
    });
  }
  return { main: "SKILL.md", files };
}

async function readMain(path: string): Promise<string> {
  const text = await readText(path);
  if (text !== undefined) return text;
  throw new WhetstoneError("skill-invalid", `${path} is not UTF-8 text of at most 256 kB.`, {
    hint: "A skill is a text file; name its SKILL.md.",
  });
}

async function listFiles(folder: string, except: ReadonlySet<string>): Promise<readonly string[]> {
  const files: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (skippedNames.test(entry.name) || except.has(path)) continue;
    // a link could lead outside the skill
    if (entry.isDirectory()) files.push(...(await listFiles(path, except)));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for what is too large or not text. */
async function readText(path: string): Promise<string | undefined> {
  const bytes = await readFile(path);
  if (bytes.length > maxFileBytes || bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
