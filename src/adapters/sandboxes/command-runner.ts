import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunCommandInBox } from "../../core/ports/command.ts";
import type { Sandbox } from "../../core/ports/sandbox.ts";
import type { Checkouts } from "../workspaces/git-checkout.ts";
import { layWorkspace, roomFor } from "../workspaces/lay-workspace.ts";
import { openVolume } from "./own-volume.ts";
import { writeFiles } from "./workspace-files.ts";

export interface CommandRunnerOptions {
  /** For tasks that start from a commit. */
  readonly checkouts?: Checkouts;
  readonly memoryMb?: number;
  readonly processes?: number;
  readonly diskMb?: number;
}

/** Runs graders, each on a fresh copy of the workspace, with its own files next to it read-only, and without network. */
export function commandRunner(
  sandbox: Sandbox,
  { checkouts, memoryMb = 2048, processes = 256, diskMb = 1024 }: CommandRunnerOptions = {},
): RunCommandInBox {
  return async (request, signal) => {
    const size = await roomFor(request, checkouts, diskMb);
    await using own = await openVolume("command", sandbox, size);
    const workspace = join(own.room, "workspace");
    const grader = join(own.folder, "grader");
    const laid = await layWorkspace(workspace, request, checkouts);
    await mkdir(grader);
    await writeFiles(grader, request.grader ?? {}, Object.keys(request.grader ?? {}));
    const result = await sandbox.run(
      {
        volume: own.volume,
        workspace,
        within: laid.within,
        readOnly: { [grader]: "/grader" },
        command: (inside) => {
          const variables = { GRADER: inside.path(grader) };
          // tasks write it as `$GRADER/check.py`, and no shell expands it
          const argv = request.argv.map((word) =>
            word.replace(/^\$(?:GRADER|\{GRADER\})(?=\/|$)/, variables.GRADER),
          );
          return { argv, env: variables };
        },
        limits: laid.limits({ seconds: request.seconds, memoryMb, processes, diskMb }),
      },
      signal,
    );
    const { exitCode, ended } = result;
    if (ended === "stopped") throw signal.reason;
    return {
      exitCode,
      ended,
      stdout: result.stdout.slice(-maxText),
      stderr: result.stderr.slice(-maxText),
    };
  };
}

const maxText = 64 * 1024;
