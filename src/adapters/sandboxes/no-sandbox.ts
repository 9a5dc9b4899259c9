import type { Sandbox } from "../../core/ports/sandbox.ts";
import { runOnHost } from "./run-on-host.ts";

/**
 * No box: the command runs on the host with everything that this user may do, in the workspace, with a cleared
 * environment. Only for people who said so, in surroundings that are a box already.
 */
export const noSandbox = (): Sandbox => ({
  name: "none",
  run: (job, signal) => runOnHost(job, signal, (argv) => argv),
});
