import type { Command, Option } from "commander";
import { commandWords } from "../command-kinds.ts";
import { configFlags } from "../config-flags.ts";

export interface Completion {
  readonly name: string;
  /** One line. */
  readonly about: string;
}

export interface FlagCompletion extends Completion {
  readonly takesValue: boolean;
  /** The values that it knows; none where any will do. */
  readonly values: readonly string[];
}

/** What can be typed after a command. */
export interface DescribedCommand {
  /** `/runs/show` of `whetstone runs show`, and nothing for whetstone itself. */
  readonly at: string;
  /** Its own commands, or the values of its argument. */
  readonly words: readonly Completion[];
  readonly flags: readonly FlagCompletion[];
}

/** All commands, for the scripts of shells. */
export function describeCommands(command: Command): readonly DescribedCommand[] {
  const path = commandWords(command);
  return [
    {
      at: path === "" ? "" : `/${path.replaceAll(" ", "/")}`,
      words: wordsOf(command),
      flags: flagsOf(command),
    },
    ...command.commands.flatMap(describeCommands),
  ];
}

function wordsOf({ commands, registeredArguments: [argument] }: Command): readonly Completion[] {
  if (commands.length === 0) return (argument?.argChoices ?? []).map((name) => ({ name, about: name }));
  return commands.map((inner) => ({
    name: inner.name(),
    about: oneLine(inner.summary() || inner.description()),
  }));
}

function flagsOf({ options }: Command): readonly FlagCompletion[] {
  const own = options.flatMap((option) =>
    option.long == null
      ? []
      : [
          {
            name: option.long,
            about: oneLine(option.description),
            takesValue: option.required || option.optional,
            values: valuesOf(option),
          },
        ],
  );
  return [...own, { name: "--help", about: "display help for command", takesValue: false, values: [] }];
}

/** Of a config's flag the config itself refuses a wrong value: commander knows none of them. */
const valuesOf = ({ long, argChoices }: Option): readonly string[] =>
  argChoices ?? configFlags.find(({ flag }) => flag.split(" ", 1)[0] === long)?.values ?? [];

/** What stands in brackets are values and defaults, which a menu has no room for. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").replace(/ \([^()]*\)$/, "");
