import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SleepProject } from "../../test/support/commit-project.ts";
import { type CommandEnd, runCli } from "./run-cli.ts";

/** `whetstone sleep …` in a project, in a process of its own that sees nothing of this machine but its programs. */
export async function sleepCommand(
  { path, home, config }: SleepProject,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onStart?: (child: ChildProcess) => void,
): Promise<CommandEnd> {
  const temporary = join(dirname(home), "tmp");
  mkdirSync(temporary, { recursive: true });
  const place = {
    cwd: path,
    env: { ...programsOnly(), HOME: home, TMPDIR: temporary, NO_COLOR: "1", ...env },
  };
  // where a night sends to is the person's to allow; one that is answered by hand sends nowhere
  const isByHand = typeof config.target === "string" && config.target.startsWith("handoff/");
  if (args[0] === "run" && !isByHand) await runCli(["trust", "--yes"], place);
  return runCli(["sleep", ...args], place, onStart);
}

/** What a process needs of this machine: its programs, what Node has compiled of them before, and the state of this proof. */
export function programsOnly(): Readonly<Record<string, string>> {
  const { PATH = "", NODE_COMPILE_CACHE, WHETSTONE_STATE } = process.env;
  return {
    PATH,
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...(WHETSTONE_STATE === undefined ? {} : { WHETSTONE_STATE }),
  };
}

/** The last sentence that begins with `error`. */
export const complaintOf = ({ printed }: CommandEnd): string =>
  printed.split("\n").findLast((line) => line.startsWith("error")) ?? printed.trim().slice(-200);
