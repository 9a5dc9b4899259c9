import type { UnitHandler } from "./handlers.ts";
import type { Json } from "../json.ts";
import type { CommandRequest, RunCommandInBox } from "../ports/command.ts";
import { noCost } from "../cost.ts";

/** `command@1`: a grader on a copy of the workspace. Its input is a `CommandRequest`, its output a `CommandRun`. `parallel` is how many this machine can hold. */
export function commandUnit(runCommand: RunCommandInBox, parallel: number): UnitHandler {
  return {
    kind: "command",
    version: 1,
    lane: () => "commands",
    parallel: () => parallel,
    worst: () => noCost,
    async run(input, { signal }) {
      const run = await runCommand(input as unknown as CommandRequest, signal);
      return { output: run as unknown as Json, cost: noCost };
    },
  };
}
