import { hang, colors } from "./format.ts";
import { CommanderError } from "commander";
import { type ErrorCode, WhetstoneError } from "../core/errors.ts";
import { ended, oneLine } from "../core/one-line.ts";
import type { Io } from "./io.ts";

/** Prints what went wrong and what to do next; returns the exit code. */
export function reportError(error: unknown, io: Io, args: readonly string[]): number {
  if (error instanceof CommanderError) return reportUsage(error, io, args);
  if (error instanceof WhetstoneError) {
    const isStop = error.code === "interrupted";
    say(isStop ? error.message : `${colors.red(`error ${error.code}:`)} ${error.message}`, io);
    if (error.hint !== undefined) say(`next: ${error.hint}`, io);
    if (!isStop) sayMore(error.code, io);
    return error.exitCode;
  }
  say(`${colors.red("error failed:")} ${oneLine(messageOf(error), mostCharacters)}`, io);
  io.warn(colors.dim(framesOf(error).join("\n")));
  io.warn("next: This shouldn't happen. Please report it with the lines above.");
  sayMore("failed", io);
  return 1;
}

/** Names the command that explains an error offline. */
const sayMore = (code: ErrorCode, io: Io): void => io.warn(colors.dim(`more: whetstone explain ${code}`));

/** An error that shouldn't happen, for a log: its message in one line, and its stack. */
export const unexpected = (error: unknown): string =>
  [oneLine(messageOf(error), mostCharacters), ...framesOf(error)].join("\n");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const framesOf = (error: unknown): readonly string[] =>
  (error instanceof Error ? (error.stack ?? "") : "").split("\n").filter((line) => /^ +at /.test(line));

/** Messages that quote a server or a file can be endless. */
const mostCharacters = 20_000;

/** Wrapped between words. Lines after the first are indented, so they can't be mistaken for messages of ours. */
const say = (text: string, io: Io): void =>
  io.warn(
    (text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text)
      .split(/\r?\n/)
      .map((line, at) => (at === 0 || line.startsWith("  ") ? line : `  ${line}`))
      .flatMap((line) => hang(line, io.lineLimit))
      .join("\n"),
  );

/** Commander ends help and version with an error whose code is 0. */
function reportUsage(error: CommanderError, io: Io, [command = ""]: readonly string[]): number {
  if (error.exitCode === 0) return 0;
  // no command was given, and the help is already on the screen
  if (error.code === "commander.help") return 2;
  const [problem = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const sentence = `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}`;
  say(`${colors.red("error usage:")} ${ended(sentence)}`, io);
  const meant = /Did you mean (.*)\?\)/.exec(suggestion ?? "")?.[1];
  const isKnown = /^\w/.test(command) && error.code !== "commander.unknownCommand";
  const help = isKnown
    ? `\`whetstone ${command} --help all\` lists its flags.`
    : "`whetstone --help` lists commands and flags.";
  io.warn(`next: ${meant === undefined ? help : `Did you mean ${meant}?`}`);
  sayMore("usage", io);
  return 2;
}
