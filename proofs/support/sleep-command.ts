import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SleepProject } from "../../test/support/commit-project.ts";
import { type CommandEnd, runCli } from "./run-cli.ts";

/** `whetstone sleep …` in a project, in a process of its own that sees nothing of this machine but its programs. */
export async function sleepCommand(
  { path, home }: SleepProject,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onStart?: (child: ChildProcess) => void,
): Promise<CommandEnd> {
  const temporary = join(dirname(home), "tmp");
  mkdirSync(temporary, { recursive: true });
  const { PATH = "" } = process.env;
  const place = { cwd: path, env: { PATH, HOME: home, TMPDIR: temporary, NO_COLOR: "1", ...env } };
  // where a night sends to is the person's to allow
  if (args[0] === "run") await runCli(["trust", "--yes"], place);
  return runCli(["sleep", ...args], place, onStart);
}

/** The last sentence that begins with `error`. */
export const complaintOf = ({ printed }: CommandEnd): string =>
  printed.split("\n").findLast((line) => line.startsWith("error")) ?? printed.trim().slice(-200);
