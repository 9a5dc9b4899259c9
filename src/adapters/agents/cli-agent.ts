import { availableParallelism, freemem } from "node:os";
import type { Agent } from "../../core/ports/agent.ts";
import type { OpenCli } from "./open-cli.ts";
import { rollOut } from "./roll-out.ts";

/** An installed agent CLI as a target, with a fresh workspace for each rollout, in the sandbox. */
export function cliAgent(open: OpenCli): Agent {
  const { cli, found, options } = open;
  return {
    id: `${cli.name}/${options.model}`,
    version: found.version,
    resumes: cli.resumes === true,
    parallel: Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / memoryEach))),
    run: (request, call) => rollOut(open, request, call),
  };
}

/** The rough memory and time of a rollout: the CLI itself and the tools it runs. */
const memoryEach = 500 * 1024 * 1024;
