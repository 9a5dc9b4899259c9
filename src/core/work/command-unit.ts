import { type UnitHandler, unitHandler } from "./handlers.ts";
import { commandKind } from "./unit-kinds.ts";
import type { RunCommandInBox } from "../ports/command.ts";
import { noCost } from "../cost.ts";

/** `command@1`: a grader on a copy of the workspace. Its input is a `CommandRequest`, its output a `CommandRun`. `parallel` is how many this machine can hold. */
export function commandUnit(runCommand: RunCommandInBox, parallel: number): UnitHandler {
  return unitHandler(commandKind, {
    lane: () => "commands",
    parallel: () => parallel,
    worst: () => noCost,
    async run(request, { signal }) {
      return { output: await runCommand(request, signal), cost: noCost };
    },
  });
}
