import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { knownProjects } from "../../../config/journal-place.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { type Forget, forget } from "../../../run/forget.ts";
import type { Io } from "../../../show/io.ts";
import { plural } from "../../../show/format.ts";
import { isAnsweredYes } from "./trust-command.ts";
import { realFolder } from "../../../adapters/project-matcher.ts";

export interface ForgetFlags {
  /** The path of a project, or some text. */
  readonly what?: string | undefined;
  readonly olderThan?: number;
  readonly yes: boolean;
  readonly json: boolean;
}

/** `whetstone forget [project or text]` */
export async function forgetCommand({ what, olderThan, yes, json }: ForgetFlags, io: Io): Promise<void> {
  const order = orderOf(what, olderThan, io);
  if (!yes && !(await isConfirmed(order, io))) return io.print("Nothing was removed.");
  const { projects } = await forget(order);
  if (json) return io.printJson({ projects });
  for (const { project, rows, files } of projects)
    io.print(`${project}: removed ${plural(rows, "row")} of the journal and ${plural(files, "file")}.`);
  io.print(
    projects.length === 0
      ? "Nothing matched, so nothing was removed."
      : "Exports in a project's .whetstone are left alone; delete that folder yourself.",
  );
}

function orderOf(what: string | undefined, olderThan: number | undefined, io: Io): Forget {
  if ((what === undefined) === (olderThan === undefined))
    throw new WhetstoneError("usage", "`whetstone forget` needs a project, some text or an age.", {
      hint: "Type one of: whetstone forget ./my-project | whetstone forget 'some text' | whetstone forget --older-than 90",
    });
  if (what === undefined) return { olderThanDays: olderThan ?? 0 };
  const path = realFolder(resolve(io.cwd, what));
  const isPath = /^[./~]|^[a-z]:[\\/]/i.test(what) || existsSync(path);
  return isPath || knownProjects().some(({ project }) => project === path)
    ? { project: path }
    : { text: what };
}

async function isConfirmed(order: Forget, io: Io): Promise<boolean> {
  const what =
    "project" in order
      ? `all stored data of ${order.project}: its journal, proposals, receipts and backups`
      : "text" in order
        ? `every task, reply and conversation that contains "${order.text}", in all projects`
        : `every run older than ${plural(order.olderThanDays, "day")}, in all projects`;
  if (io.prompt === undefined)
    throw new WhetstoneError("usage", `This removes ${what}. There's nobody here to ask.`, {
      hint: "Add --yes to remove it without asking.",
    });
  return isAnsweredYes(`Remove ${what}? Runs will buy lost results again. [y/N] > `, io);
}
