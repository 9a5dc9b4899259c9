import { homedir } from "node:os";
import { basename, isAbsolute, join, win32 } from "node:path";
import { isWithin, realFolder } from "../adapters/project-matcher.ts";
import { mainWorktree } from "../adapters/workspaces/main-worktree.ts";
import { hashText } from "../core/canonical.ts";
import { WhetstoneError } from "../core/errors.ts";
import { readEnv } from "./env.ts";

export interface StatePlace {
  /** @default the process's */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default the person's own */
  readonly home?: string;
  /** @default this machine's */
  readonly platform?: NodeJS.Platform;
}

/** Where a person's own files are kept: never in a project, which others write into. */
export function stateFolder({
  env = readEnv(),
  home = homedir(),
  platform = process.platform,
}: StatePlace = {}): string {
  const own = env["WHETSTONE_STATE"] ?? "";
  if (isAbsolute(own)) return own;
  if (own !== "")
    throw new WhetstoneError("config-invalid", `WHETSTONE_STATE is "${own}", which isn't an absolute path.`, {
      hint: "Set it to a folder outside of all projects, such as /var/lib/whetstone.",
    });
  if (platform === "win32")
    return win32.join(env["LOCALAPPDATA"] ?? win32.join(home, "AppData", "Local"), "whetstone");
  const named = env["XDG_STATE_HOME"];
  if (named !== undefined && isAbsolute(named)) return join(named, "whetstone");
  return platform === "darwin"
    ? join(home, "Library", "Application Support", "whetstone")
    : join(home, ".local", "state", "whetstone");
}

/**
 * The folder of one project in the person's state, by the project's real path. Its location is its authority: a clone, a pull
 * request or a sandboxed agent can write anything below the project, and nothing here.
 */
export const projectFolder = (project: string, place?: StatePlace): string =>
  join(projectsFolder(place), projectName(realFolder(project)));

/** The same for the journal, which all worktrees of a repository share. */
export const sharedFolder = (project: string, place?: StatePlace): string =>
  join(projectsFolder(place), projectName(mainWorktree(realFolder(project))));

export const projectsFolder = (place?: StatePlace): string =>
  join(realFolder(stateFolder(place)), "projects");

/** Whether files of the project could pass for the person's own. Somebody who can write the whole home can do so anyway. */
export function isStateInProject(project: string, place: StatePlace = {}): boolean {
  const { home = homedir() } = place;
  const real = realFolder(project);
  return isWithin(projectsFolder(place), real) && !isWithin(realFolder(home), real);
}

export const stateInProject = (place?: StatePlace): WhetstoneError =>
  new WhetstoneError(
    "config-invalid",
    `The state folder ${stateFolder(place)} is inside the project, where anybody who writes to the project could forge it.`,
    { hint: "Set WHETSTONE_STATE to an absolute path outside the project, or unset it." },
  );

const projectName = (project: string): string =>
  `${
    basename(project)
      .replaceAll(/[^\w.-]/g, "_")
      .slice(0, 40) || "root"
  }-${hashText(project).slice(0, 16)}`;
