import type { Invalid } from "../tasks/outcome.ts";
import { workspaceOf } from "./command.ts";
import type { Performance } from "./performance.ts";
import { type Scoring, invalid } from "./scorer.ts";

/** A file of the workspace as the agent left it; undefined if it doesn't exist. */
export function readWorkspaceFile(
  path: string,
  performance: Performance,
  scoring: Scoring,
): string | undefined | Promise<string | undefined | Invalid> {
  const place = plainPath(path);
  const { files, deleted = [] } = performance;
  if (Object.hasOwn(files, place)) return files[place];
  if (scoring.task.checkout === undefined || deleted.includes(place)) return undefined;
  return readFromCheckout(place, performance, scoring);
}

export const plainPath = (path: string): string => path.replace(/^(?:\.\/)+/, "");

/** Unchanged files are only in the commit, which is read in a sandbox. */
async function readFromCheckout(
  place: string,
  performance: Performance,
  { task, tools }: Scoring,
): Promise<string | undefined | Invalid> {
  if (tools.command === undefined)
    return invalid("a file check on a checkout needs a sandbox, and this machine has none");
  const argv = ["cat", "--", place];
  const run = await tools.command({ argv, ...workspaceOf(performance, task), seconds: 60 });
  if (run.ended !== "exit" || run.exitCode !== 0) return undefined;
  if (run.stdout.length >= maxRead) return invalid(`the file ${place} is too large to check`);
  return run.stdout;
}

/** As much as a command may print. */
const maxRead = 64 * 1024;
