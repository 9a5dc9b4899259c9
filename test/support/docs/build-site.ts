import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** `npm run docs`, which fails on a dead link. */
export function buildSite(): Promise<{
  readonly folder: string;
  readonly pages: number;
  readonly error?: string;
}> {
  const folder = join(root, "docs/.vitepress/dist");
  return new Promise((resolve) => {
    execFile("npm", ["run", "-s", "docs"], { cwd: root }, (error, stdout, stderr) => {
      const pages = globSync("**/*.html", { cwd: folder }).length;
      resolve({
        folder,
        pages,
        ...(error === null ? {} : { error: `npm run docs: ${stdout.slice(-1500)}${stderr.slice(-1500)}` }),
      });
    });
  });
}
