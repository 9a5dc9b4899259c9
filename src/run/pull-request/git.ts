import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);
// a checkout's own settings must not start programs
const settings = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

export async function runGit(folder: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute("git", ["-C", folder, ...settings, ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** What git prints with `-z`. */
export const listGit = async (folder: string, args: readonly string[]): Promise<readonly string[]> =>
  (await runGit(folder, args)).split("\0").filter(Boolean);
