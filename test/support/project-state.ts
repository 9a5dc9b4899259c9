import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";

/**
 * Where a person's state has the files of a project: `<state>/projects/<name>-<hash of its path>`, with the state folder as
 * docs/privacy.md tells. The one of this process unless a `home` has its own.
 */
export function projectState(project: string, home?: string): string {
  const real = realpathSync(project);
  const { WHETSTONE_STATE, XDG_STATE_HOME } = home === undefined ? process.env : {};
  const usual = join(XDG_STATE_HOME ?? join(home ?? homedir(), ".local/state"), "whetstone");
  const name = basename(real)
    .replaceAll(/[^\w.-]/g, "_")
    .slice(0, 40);
  return join(
    realFolder(WHETSTONE_STATE ?? usual),
    "projects",
    `${name}-${createHash("sha256").update(real).digest("hex").slice(0, 16)}`,
  );
}

/** Links of the part that exists are resolved. */
function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realFolder(join(path, "..")), basename(path));
  }
}
