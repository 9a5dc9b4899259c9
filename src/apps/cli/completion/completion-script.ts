import { quoteWord } from "../../../adapters/shell-words.ts";
import type { DescribedCommand, FlagCompletion, Completion } from "./describe-commands.ts";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/** A script that makes a shell complete commands, flags and their values. Where nothing is known, files are offered. */
export const completionScript = (shell: Shell, commands: readonly DescribedCommand[]): string =>
  writers[shell](commands);

const writers: Readonly<Record<Shell, (commands: readonly DescribedCommand[]) => string>> = {
  bash: (commands) => `# eval "$(whetstone completion bash)"
_whetstone() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${placesOf(commands).join("|")}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $before" in
${valueCases(commands)
  .map(({ keys, values }) => `    ${keys.map(quote).join("|")}) words=${quote(values.join(" "))} ;;`)
  .join("\n")}
    *" "${freeFlags(commands).join('|*" "')}) COMPREPLY=(); return ;;
    *)
      case "$at:$word" in
${commands
  .flatMap(({ at, words, flags }) => [
    `        ${quote(`${at}:-`)}*) words=${quote(namesOf(flags))} ;;`,
    `        ${quote(`${at}:`)}*) words=${quote(namesOf(words))} ;;`,
  ])
  .join("\n")}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _whetstone whetstone
`,

  zsh: (commands) => `# after compinit: eval "$(whetstone completion zsh)"
_whetstone() {
  local at="" word before="\${words[CURRENT-1]}"
  local -a items
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      (${placesOf(commands).join("|")}) at="$at/$word" ;;
    esac
  done
  case "$at $before" in
${valueCases(commands)
  .map(
    ({ keys, values }) =>
      `    (${keys.map(quote).join("|")}) items=(${values.map(quote).join(" ")}); _describe value items; return ;;`,
  )
  .join("\n")}
    (*" "(${freeFlags(commands).join("|")})) _files; return ;;
  esac
  case "$at:$PREFIX" in
${commands
  .flatMap(({ at, words, flags }) => [
    `    (${quote(`${at}:-`)}*) items=(${flags.map(zshItem).join(" ")}); _describe -o flag items; return ;;`,
    ...(words.length === 0
      ? []
      : [
          `    (${quote(`${at}:`)}*) items=(${words.map(zshItem).join(" ")}); _describe command items; return ;;`,
        ]),
  ])
  .join("\n")}
  esac
  _files
}
compdef _whetstone whetstone
`,

  fish: (commands) => `# whetstone completion fish > ~/.config/fish/completions/whetstone.fish
function __whetstone_at
    set -l at ""
    for word in (commandline -opc)[2..]
        switch "$at/$word"
            case ${placesOf(commands).join(" ")}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
${commands.flatMap(fishLines).join("\n")}
`,

  powershell: (commands) => `# whetstone completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName whetstone -ScriptBlock {
  param($word, $ast, $position)
  $known = @{
${commands.map((one) => `    ${powerQuote(one.at)} = @(${[...one.words, ...one.flags].map((item) => `@(${powerQuote(item.name)}, ${powerQuote(item.about)})`).join(", ")})`).join("\n")}
  }
  $values = @{
${valueCases(commands)
  .flatMap(({ keys, values }) =>
    keys.map((key) => `    ${powerQuote(key)} = @(${values.map(powerQuote).join(", ")})`),
  )
  .join("\n")}
  }
  $typed = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | Select-Object -Skip 1 | ForEach-Object { "$_" })
  $at = ''
  foreach ($one in $typed) { if ($known.ContainsKey("$at/$one")) { $at = "$at/$one" } }
  $before = "$at $($typed | Select-Object -Last 1)"
  $items = if ($values.ContainsKey($before)) { $values[$before] | ForEach-Object { , @($_, $_) } } else { $known[$at] }
  $items | Where-Object { $_[0] -like "$word*" -and ($word -like '-*' -or $_[0] -notlike '-*') } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`,
};

const placesOf = (commands: readonly DescribedCommand[]): readonly string[] =>
  commands.map(({ at }) => at).filter((at) => at !== "");

const namesOf = (items: readonly Completion[]): string => items.map(({ name }) => name).join(" ");

/** Which values belong to which flags of which commands: each list of values once. */
function valueCases(commands: readonly DescribedCommand[]) {
  const keys = new Map<string, string[]>();
  for (const { at, flags } of commands)
    for (const { name, values } of flags)
      if (values.length > 0)
        keys.set(values.join(" "), [...(keys.get(values.join(" ")) ?? []), `${at} ${name}`]);
  return [...keys].map(([values, those]) => ({ values: values.split(" "), keys: those }));
}

/** Flags whose value can be anything: the same name takes a value in every command or in none. */
const freeFlags = (commands: readonly DescribedCommand[]): readonly string[] => [
  ...new Set(
    commands.flatMap(({ flags }) => flags.filter((flag) => flag.takesValue).map(({ name }) => name)),
  ),
];

const quote = (text: string): string => (text === "" ? "''" : quoteWord(text));
const powerQuote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const zshItem = ({ name, about }: Completion): string => quote(`${name}:${about}`);
const fishQuote = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;

function fishLines({ at, words, flags }: DescribedCommand): readonly string[] {
  const here = `complete -c whetstone -n ${fishQuote(`__whetstone_at "${at}"`)}`;
  const valueOf = ({ takesValue, values }: FlagCompletion): string => {
    if (!takesValue) return "";
    return values.length === 0 ? " -r" : ` -x -a ${fishQuote(values.join(" "))}`;
  };
  return [
    ...words.map(({ name, about }) => `${here} -f -a ${name} -d ${fishQuote(about)}`),
    ...flags.map((flag) => `${here} -l ${flag.name.slice(2)}${valueOf(flag)} -d ${fishQuote(flag.about)}`),
  ];
}
