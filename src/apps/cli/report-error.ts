import colors from "picocolors";
import { CommanderError } from "commander";
import { WhetstoneError } from "../../core/errors.ts";
import type { Io } from "./io.ts";

/** Says what went wrong and what to do next; gives the exit code. */
export function reportError(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return reportUsage(error, io);
  if (error instanceof WhetstoneError) {
    const isStop = error.code === "interrupted";
    io.warn(isStop ? error.message : `${colors.red(`error ${error.code}:`)} ${error.message}`);
    if (error.hint !== undefined) io.warn(`next: ${error.hint}`);
    return error.exitCode;
  }
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  io.warn(`${colors.red("error failed:")} ${message}`);
  io.warn(colors.dim(stack ?? ""));
  io.warn("next: This should not happen; please report it with the lines above.");
  return 1;
}

/** Help and version end commander with an error of code 0. */
function reportUsage(error: CommanderError, io: Io): number {
  if (error.exitCode === 0) return 0;
  // no command was given, and the help is on the screen
  if (error.code === "commander.help") return 2;
  const [problem = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const sentence = `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}`;
  io.warn(`${colors.red("error usage:")} ${sentence}${sentence.endsWith(".") ? "" : "."}`);
  const meant = /Did you mean (.*)\?\)/.exec(suggestion ?? "")?.[1];
  io.warn(
    meant === undefined
      ? "next: `whetstone --help` lists commands and flags."
      : `next: Did you mean ${meant}?`,
  );
  return 2;
}
