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

/** The folder for the user's own files. It's never in a project, because others can write there. */
export function stateFolder({
  env = readEnv(),
  home = homedir(),
  platform = process.platform,
}: StatePlace = {}): string {
  const own = env["WHETSTONE_STATE"] ?? "";
  if (isAbsolute(own)) return own;
  if (own !== "")
    throw new WhetstoneError("config-invalid", `WHETSTONE_STATE is "${own}", which isn't an absolute path.`, {
      hint: "Set it to a folder outside all projects, such as /var/lib/whetstone.",
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
 * One project's folder in the user's state, by the project's real path. Its location is its authority: a clone,
 * a pull request or a sandboxed agent can write anything in the project, but nothing here.
 */
export const projectFolder = (project: string, place?: StatePlace): string =>
  join(projectsFolder(place), projectName(realFolder(project)));

/** The journal's folder, which all worktrees of a repository share. */
export const sharedFolder = (project: string, place?: StatePlace): string =>
  join(projectsFolder(place), projectName(mainWorktree(realFolder(project))));

export const projectsFolder = (place?: StatePlace): string =>
  join(realFolder(stateFolder(place)), "projects");

/** Whether project files could pass for the user's own. Anyone who can write to all of their home can do that anyway. */
export function isStateInProject(project: string, place: StatePlace = {}): boolean {
  const { home = homedir() } = place;
  const real = realFolder(project);
  return isWithin(projectsFolder(place), real) && !isWithin(realFolder(home), real);
}

export const stateInProject = (place?: StatePlace): WhetstoneError =>
  new WhetstoneError(
    "config-invalid",
    `The state folder ${stateFolder(place)} is inside the project, so anyone who can write to the project could forge it.`,
    { hint: "Set WHETSTONE_STATE to an absolute path outside the project, or unset it." },
  );

const projectName = (project: string): string =>
  `${
    basename(project)
      .replaceAll(/[^\w.-]/g, "_")
      .slice(0, 40) || "root"
  }-${hashText(project).slice(0, 16)}`;
