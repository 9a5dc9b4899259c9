import type { Command } from "commander";
import { commandKinds, commandWords } from "../../src/apps/cli/command-kinds.ts";
import { createProgram } from "../../src/apps/cli/program.ts";

export { commandKinds, commandWords };
export type CommandKind = (typeof commandKinds)[string];

/** Every command of the program, as it is typed. */
export function everyCommand(): readonly Command[] {
  // nothing is run, so that all it needs is how wide help is
  const io = { columns: 80 } as Parameters<typeof createProgram>[0];
  const all = (command: Command): readonly Command[] => command.commands.flatMap((one) => [one, ...all(one)]);
  // those that only hold others do nothing by themselves
  return all(createProgram(io, "0.0.0")).filter(
    (command) => !["journal", "judge", "plugin", "sleep"].includes(commandWords(command)),
  );
}
