import type { Sandbox } from "../../core/ports/sandbox.ts";
import { runOnHost } from "./run-on-host.ts";

/**
 * No sandbox: the command runs on the host, in the workspace, with a cleared environment and everything this user may
 * do. Only for people who asked for it, where the surroundings are already a sandbox.
 */
export const noSandbox = (): Sandbox => ({
  name: "none",
  run: (job, signal) => runOnHost(job, signal, (argv) => argv),
});
