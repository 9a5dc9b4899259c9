import { isAbsolute, join, win32 } from "node:path";

export interface StatePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** @default this machine's */
  readonly platform?: NodeJS.Platform;
}

/** Where a person's own decisions are kept: never in a project, which others write into. */
export function stateFolder({ env, home, platform = process.platform }: StatePlace): string {
  if (platform === "win32")
    return win32.join(env["LOCALAPPDATA"] ?? win32.join(home, "AppData", "Local"), "whetstone");
  const named = env["XDG_STATE_HOME"];
  if (named !== undefined && isAbsolute(named)) return join(named, "whetstone");
  return platform === "darwin"
    ? join(home, "Library", "Application Support", "whetstone")
    : join(home, ".local", "state", "whetstone");
}
