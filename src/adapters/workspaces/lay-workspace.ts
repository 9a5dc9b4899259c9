import { mkdir } from "node:fs/promises";
import { WhetstoneError } from "../../core/errors.ts";
import type { Files } from "../../core/files.ts";
import type { SandboxLimits } from "../../core/ports/sandbox.ts";
import { type Changes, readChanges } from "../sandboxes/workspace-changes.ts";
import { overlayFiles, writeFiles } from "../sandboxes/workspace-files.ts";
import type { Checkouts } from "./git-checkout.ts";

export interface WorkspaceContent {
  readonly files: Files;
  /** The commit underneath the files. */
  readonly checkout?: string;
  /** Files in that commit that the workspace doesn't have. */
  readonly deleted?: readonly string[];
}

/** A folder that is ready for a sandbox. */
export interface Workspace {
  /** For the sandbox: folders to mount inside the workspace. */
  readonly within: Readonly<Record<string, string>>;
  /** The limit, including everything that was there before anything ran. */
  limits(limits: SandboxLimits): SandboxLimits;
  /** Its changes relative to the commit with the files on top. */
  changes(): Promise<Changes>;
}

/** Creates the folder: first the commit, then the files on top. */
export async function layWorkspace(
  folder: string,
  { files, checkout, deleted = [] }: WorkspaceContent,
  checkouts: Checkouts | undefined,
): Promise<Workspace> {
  await mkdir(folder);
  if (checkout === undefined) {
    await writeFiles(folder, files);
    return { within: {}, limits: (limits) => limits, changes: () => readChanges(folder, files) };
  }
  if (checkouts === undefined) throw withoutRepository();
  const { baseline, megabytes, within } = await checkouts.materialise(checkout, folder);
  await overlayFiles(folder, files, deleted);
  return {
    within,
    limits: (limits) => ({ ...limits, diskMb: limits.diskMb + megabytes }),
    changes: () => readChanges(folder, files, baseline),
  };
}

/** The workspace's disk limit: its initial size, plus the limit. */
export const roomFor = async (
  { checkout }: WorkspaceContent,
  checkouts: Checkouts | undefined,
  diskMb: number,
): Promise<number> => diskMb + (checkout === undefined ? 0 : ((await checkouts?.megabytes(checkout)) ?? 0));

const withoutRepository = (): WhetstoneError =>
  new WhetstoneError("tasks-invalid", "A task starts from a commit, but no repository is known here.", {
    hint: "Start the command inside the project's repository.",
  });
