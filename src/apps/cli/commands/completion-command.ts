import type { Command } from "commander";
import { type Shell, completionScript } from "../completion/completion-script.ts";
import { describeCommands } from "../completion/describe-commands.ts";
import type { Io } from "../../../show/io.ts";

/** `whetstone completion`: on standard output, so that a shell can read it. */
export function completionCommand(shell: Shell, program: Command, io: Io): void {
  io.print(completionScript(shell, describeCommands(program)).trimEnd());
}
