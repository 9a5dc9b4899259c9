import type { Command, Option } from "commander";
import { capturedIo } from "../../../test/support/captured-io.ts";
import { configFlags } from "../../../src/config/config-flags.ts";
import { commandGroups } from "../../../src/apps/cli/help.ts";
import { commandWords } from "../../../src/apps/cli/command-kinds.ts";
import { createProgram } from "../../../src/apps/cli/program.ts";
import { cell, safe } from "./read-source.ts";

/** docs/cli.md: every command with its arguments and flags. */
export function cliPage(): string {
  const { commands } = createProgram(capturedIo("/").io, "0");
  const byName = new Map(commands.map((command) => [command.name(), command]));
  return [
    "# Command line",
    "",
    "`whetstone <command> --help` has the flags that are used often, `--help all` every one. A flag that is also a setting is",
    "described in the [config](config.md) and only named here. Exit codes are listed with the [errors](errors.md).",
    "This page is made from the program itself: `npm run generate`.",
    ...Object.entries(commandGroups).flatMap(([group, summaries]) => [
      "",
      `## ${group.replace(/:$/, "")}`,
      ...Object.keys(summaries).flatMap((name) => commandLines(byName.get(name))),
    ]),
    "",
  ].join("\n");
}

const trainFlags = configFlags.filter(({ only = "train" }) => [only].flat().includes("train"));
const settingFlags = new Set(configFlags.map(({ flag }) => flag));

function commandLines(command: Command | undefined): readonly string[] {
  if (command === undefined) return [];
  const words = commandWords(command);
  const own = command.options.filter(({ flags }) => !settingFlags.has(flags));
  const settings = command.options.filter(({ flags }) => settingFlags.has(flags));
  const usage = ["whetstone", words, ...command.registeredArguments.map(argumentWord)].join(" ");
  const hasAction = command.commands.length === 0 || command.options.length > 0;
  return [
    "",
    `### ${words}`,
    "",
    safe(`${sentenceCase(command.description())}.`),
    ...(hasAction ? ["", `\`${usage}\``] : []),
    ...(own.length + command.registeredArguments.length === 0 ? [] : ["", "| | |", "|---|---|"]),
    ...command.registeredArguments.map(
      (argument) => `| \`${argumentWord(argument)}\` | ${cell(safe(argument.description))} |`,
    ),
    ...own.map((option) => `| \`${cell(option.flags)}\` | ${cell(safe(aboutOption(option)))} |`),
    ...(settings.length === 0 ? [] : ["", settingWords(words, settings)]),
    ...command.commands.flatMap(commandLines),
  ];
}

/** What `train` takes is listed once. */
function settingWords(words: string, settings: readonly Option[]): string {
  const listed = settings.map(({ long }) => `\`${long}\``);
  const isAsTrain = words !== "train" && listed.length === trainFlags.length;
  return `Settings: ${isAsTrain ? "those of [train](#train)" : listed.join(", ")}.`;
}

const argumentWord = (argument: { readonly required: boolean; name(): string }): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

function aboutOption({ description, argChoices, defaultValue }: Option): string {
  const more = [
    ...(argChoices === undefined ? [] : [argChoices.join(", ")]),
    ...(defaultValue === undefined || typeof defaultValue === "boolean" ? [] : [`default: ${defaultValue}`]),
  ];
  return `${description}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}

const sentenceCase = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
