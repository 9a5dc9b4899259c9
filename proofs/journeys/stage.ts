import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Packs this repository and installs it into an empty project that `npm init -y` made: what a person has at the start. */
export function installPacked(folder: string): string {
  const npm = (words: readonly string[], cwd: string): string =>
    execFileSync("npm", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const tarball = npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], root);
  const project = join(folder, "installed");
  mkdirSync(project);
  npm(["init", "-y"], project);
  npm(["install", "--no-audit", "--no-fund", "--prefer-offline", join(folder, tarball)], project);
  return project;
}

/** Another project like it, with files of somebody's own. */
export function copyProject(installed: string, to: string, files: Readonly<Record<string, string>>): string {
  cpSync(installed, to, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
  }
  return to;
}

/** Node and what every system has; git knows who commits. */
export function personalPath(home: string): string {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Person\n\temail = person@example.com\n");
  return [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
}
