import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Option } from "commander";
import { shuffle } from "../../src/testing/index.ts";
import {
  type CommandKind,
  commandKinds,
  commandWords,
  everyCommand,
} from "../../test/support/every-command.ts";
import { locations } from "./project.ts";

/** One thing that somebody starts in the clone. */
export interface Typed {
  readonly name: string;
  /** `hook` and `mcp` are other programs of the package. */
  readonly kind: CommandKind | "hook" | "mcp";
  /** Of the command, or the hook's file. */
  readonly words: (random: () => number) => readonly string[];
  /** What an MCP client or a host sends. */
  readonly input?: (clone: string, random: () => number) => string;
  /** Printed by a server that is ready. */
  readonly until?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Asks somebody who then presses Ctrl-D. @default false */
  readonly inTerminal?: boolean;
}

/** Before somebody presses Enter it may read names alone, so it is held to what a command may that only looks. */
export const bareCommand: Typed = {
  name: "whetstone alone in a terminal",
  kind: "looks",
  words: () => [],
  inTerminal: true,
};

/** What flags and arguments take that isn't a place. Anything else that a new one takes is treated as a place. */
const notPlaces = new Set(
  "n word model ratio time agent pattern days hh:mm name verdict tasks ref rules rule id run points command number change model=in,out rule=wish rule=reason power what=value shell code proposal what ids check kind share t text words".split(
    " ",
  ),
);
const words: Readonly<Record<string, string>> = {
  agent: "claude-code",
  shell: "bash",
  code: "failed",
  run: "aaaaaaaaaaaaaaaa",
};
const always: Readonly<Record<string, readonly string[]>> = {
  ui: ["--no-open"],
  pr: ["--base", "base"],
  reject: ["--reason", "no"],
};
/** The host that somebody typed, where nobody listens. */
export const typedHost = "127.0.0.1:9";

const anywhere = (random: () => number): string => shuffle(locations, random)[0] ?? "";

/** Where a flag would look first, so that it is not only ever given what it refuses at once. */
const likely: Readonly<Record<string, readonly string[]>> = {
  "--journal": ["journal", ".whetstone"],
  "--config": ["other.config.json", "base.json", "whetstone.json"],
};

function typedFlag(option: Option, random: () => number): readonly string[] {
  const { long = "" } = option;
  const usual = random() < 0.6 ? shuffle(likely[long] ?? [], random)[0] : undefined;
  return [long, usual ?? valueOf(placeholderOf(option), random)];
}

function valueOf(placeholder: string, random: () => number): string {
  if (placeholder === "url") return `redis://${typedHost}`;
  if (placeholder === "rule=file") return `r1aaaaaa=${anywhere(random)}`;
  if (placeholder === "glob") return "**";
  return notPlaces.has(placeholder) ? (words[placeholder] ?? "0001") : anywhere(random);
}

const placeholderOf = (option: Option): string => /<(.+?)>/.exec(option.flags)?.[1] ?? "";

/** Every command of the program: alone, with its arguments, and with each flag that takes a place. */
export function typedCommands(): readonly Typed[] {
  return everyCommand().flatMap((command) => {
    const name = commandWords(command);
    const kind = commandKinds[name];
    if (kind === undefined) throw new Error(`${name} has no kind`);
    const given = command.registeredArguments.map((one) => ({ name: one.name(), required: one.required }));
    const mandatory = command.options.filter((option) => option.mandatory);
    const typed = (
      label: string,
      more: (random: () => number) => readonly string[],
      isWhole = false,
    ): Typed => ({
      name: label,
      kind,
      ...(name === "ui" ? { until: "http://" } : {}),
      words: (random) => [
        ...name.split(" "),
        ...given.filter(({ required }) => required || isWhole).map((one) => valueOf(one.name, random)),
        ...mandatory.flatMap((option) => typedFlag(option, random)),
        ...(always[name] ?? []),
        ...more(random),
      ],
    });
    const places = command.options.filter((option) => {
      const placeholder = placeholderOf(option);
      return placeholder !== "" && !notPlaces.has(placeholder) && !option.mandatory;
    });
    return [
      typed(name, () => []),
      ...(given.some(({ required }) => !required)
        ? [typed(`${name} [${given.at(-1)?.name}]`, () => [], true)]
        : []),
      // of many places, a run names one: each command is typed as often as any other
      ...[places.filter((_, at) => at % 2 === 0), places.filter((_, at) => at % 2 === 1)]
        .filter((some) => some.length > 0)
        .map((some) =>
          typed(`${name} ${some.map((option) => option.long).join("|")}`, (random) => {
            const option = shuffle(some, random)[0];
            return option === undefined ? [] : typedFlag(option, random);
          }),
        ),
    ];
  });
}

/** What the plugin lets an agent type without a question, and what it runs itself when a conversation ends. */
export function pluginCommands(plugin: string): readonly Typed[] {
  const files = (folder: string, end: string) =>
    readdirSync(join(plugin, folder)).filter((name) => name.endsWith(end));
  const approved = files("commands", ".md").flatMap((file) =>
    [...readFileSync(join(plugin, "commands", file), "utf8").matchAll(/Bash\(whetstone ([^)]+)\)/g)].map(
      ([, line = ""]): Typed => ({
        name: `/whetstone:${file.slice(0, -3)} ${line}`,
        kind: commandKinds[line.replaceAll(/ -.*/g, "")] ?? "looks",
        words: () => line.split(" "),
        env: { CLAUDECODE: "1" },
      }),
    ),
  );
  const hooks = new Set(
    files("hooks", ".json").flatMap((file) =>
      [...readFileSync(join(plugin, "hooks", file), "utf8").matchAll(/\$\{\w+\}\/([^\\"]+)/g)].map(
        ([, path = ""]) => path,
      ),
    ),
  );
  return [
    ...approved,
    ...[...hooks].map(
      (path): Typed => ({
        name: `hook ${path}`,
        kind: "hook",
        words: () => [join(plugin, path)],
        input: (clone, random) =>
          JSON.stringify({
            cwd: join(clone, shuffle(["", ".", "deep", ".whetstone", "loop/loop"], random)[0] ?? ""),
            session_id: "../../x",
            transcript_path: join(clone, anywhere(random)),
          }),
      }),
    ),
  ];
}

interface Tool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, { type?: string; enum?: readonly unknown[] }>>;
  };
}

const asks = (...messages: readonly object[]): string =>
  [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    },
    { method: "notifications/initialized" },
    ...messages,
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    .join("");

export const askForTools: string = asks({ id: 2, method: "tools/list" });
export const answered = '"id":2';

/** Every tool that the server lists, with a value for each of its arguments. */
export function mcpTools(printed: string): readonly Typed[] {
  const line = printed.split("\n").find((one) => one.includes(answered)) ?? "{}";
  const { result } = JSON.parse(line) as { readonly result?: { readonly tools: readonly Tool[] } };
  return (result?.tools ?? []).map(
    ({ name, inputSchema: { properties = {} } }): Typed => ({
      name: `mcp ${name}`,
      kind: "mcp",
      words: () => ["mcp"],
      until: answered,
      input: (_, random) => {
        const given = Object.entries(properties).map(([key, { type, enum: choices }]) => [
          key,
          choices?.[0] ??
            { boolean: true, integer: 1, number: 1, array: [], object: {} }[type ?? ""] ??
            anywhere(random),
        ]);
        const chosen = given.filter(() => random() < 0.7);
        return asks({ id: 2, method: "tools/call", params: { name, arguments: Object.fromEntries(chosen) } });
      },
    }),
  );
}
