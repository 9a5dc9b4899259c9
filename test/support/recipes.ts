import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "./temp-dir.ts";

const root = join(import.meta.dirname, "../..");

/** One step of a recipe in docs/extend.md. */
export interface RecipeStep {
  /** The heading that it is below, such as "A night source". */
  readonly recipe: string;
  readonly path: string;
  /** What is added below this line, or stands in its place; undefined: a new file. */
  readonly below?: string;
  readonly instead?: string;
  readonly code: string;
}

export function readRecipes(): readonly RecipeStep[] {
  const [, ...parts] = readFileSync(join(root, "docs/extend.md"), "utf8").split(/^## /m);
  const step =
    /^(?:New file `([^`]+)`|In `([^`]+)`, (below|instead of) (?:``` (.+) ```|`(.+)`)):\n\n```(?:ts|md)\n([\s\S]*?)```/gm;
  return parts.flatMap((part) => {
    const recipe = part.slice(0, part.indexOf("\n"));
    return [...part.matchAll(step)].map(([, file, changed = "", how, quoted, plain, code = ""]) =>
      file === undefined
        ? { recipe, path: changed, code, [how === "below" ? "below" : "instead"]: `${quoted ?? plain}\n` }
        : { recipe, path: file, code },
    );
  });
}

/** This repository as it lies here, without its history. */
export async function copyRepository(): Promise<string> {
  const copy = await tempDir();
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
  });
  for (const path of files.toString().split("\0").filter(Boolean))
    if (existsSync(join(root, path))) cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // what `npm run build` made, where somebody has: some tests open it
  if (existsSync(join(root, "dist"))) cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
  return copy;
}

/** Follows one step; throws where the line that it names isn't there exactly once. */
export function follow(copy: string, { path, below, instead, code }: RecipeStep): void {
  const file = join(copy, path);
  const anchor = below ?? instead;
  if (anchor === undefined) {
    mkdirSync(dirname(file), { recursive: true });
    return writeFileSync(file, code);
  }
  const text = readFileSync(file, "utf8");
  if (text.split(anchor).length !== 2) throw new Error(`${path} does not have this line once: ${anchor}`);
  writeFileSync(
    file,
    text.replace(anchor, () => (below ?? "") + code),
  );
}

/** Runs a tool of node_modules in a copy. */
export const runIn = (cwd: string, tool: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, "node_modules", tool), ...args], { cwd, encoding: "utf8" });
