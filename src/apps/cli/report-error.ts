import { colors } from "./colors.ts";
import { CommanderError } from "commander";
import { WhetstoneError } from "../../core/errors.ts";
import type { Io } from "./io.ts";
import { breakLine } from "./wrap.ts";

/** Says what went wrong and what to do next; gives the exit code. */
export function reportError(error: unknown, io: Io, args: readonly string[]): number {
  if (error instanceof CommanderError) return reportUsage(error, io, args);
  if (error instanceof WhetstoneError) {
    const isStop = error.code === "interrupted";
    say(isStop ? error.message : `${colors.red(`error ${error.code}:`)} ${error.message}`, io);
    if (error.hint !== undefined) say(`next: ${error.hint}`, io);
    return error.exitCode;
  }
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  say(`${colors.red("error failed:")} ${message}`, io);
  io.warn(colors.dim(stack ?? ""));
  io.warn("next: This should not happen; please report it with the lines above.");
  return 1;
}

/** Broken between words where a terminal would break it anywhere. */
const say = (text: string, io: Io): void =>
  io.warn(
    text
      .split("\n")
      .flatMap((line) => breakLine(line, io.lineLimit))
      .join("\n"),
  );

/** Help and version end commander with an error of code 0. */
function reportUsage(error: CommanderError, io: Io, [command = ""]: readonly string[]): number {
  if (error.exitCode === 0) return 0;
  // no command was given, and the help is on the screen
  if (error.code === "commander.help") return 2;
  const [problem = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const sentence = `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}`;
  say(`${colors.red("error usage:")} ${sentence}${sentence.endsWith(".") ? "" : "."}`, io);
  const meant = /Did you mean (.*)\?\)/.exec(suggestion ?? "")?.[1];
  const isKnown = /^\w/.test(command) && error.code !== "commander.unknownCommand";
  const help = isKnown
    ? `\`whetstone ${command} --help\` lists its flags.`
    : "`whetstone --help` lists commands and flags.";
  io.warn(`next: ${meant === undefined ? help : `Did you mean ${meant}?`}`);
  return 2;
}
