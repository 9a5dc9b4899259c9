import { type Command, InvalidArgumentError, Option } from "commander";
import type { JournalPlace } from "../../adapters/journals/open-journal.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { ProjectOptions } from "../../run/project-options.ts";
import type { Io } from "../../show/io.ts";
import { refuseReader } from "./command-kinds.ts";
import { type ConfigFlag, configFlags } from "../../config/config-flags.ts";
import type { RunFlags } from "./read-config.ts";

type CommandKind = "train" | "measure" | "prune" | "sleep" | "trust";

/** Adds the flags of a config. Settings without a flag can only be set in the config file. */
export function addConfigFlags(
  command: Command,
  kind: CommandKind,
  /** Whether this command uses the key of the config. @default always */
  isUsed: (path: string) => boolean = () => true,
): Command {
  for (const { flag, about, group, repeats, path } of flagsFor(kind)) {
    if (!isUsed(path)) continue;
    const option = new Option(flag, about).helpGroup(`${group}:`);
    command.addOption(repeats ? option.argParser(collect) : option);
  }
  return command;
}

/** The flags that were actually given, as a config. */
export function readConfigFlags(command: Command, kind: CommandKind = "train"): Config {
  const config: Record<string, unknown> = {};
  for (const given of flagsFor(kind)) {
    const name = new Option(given.flag).attributeName();
    if (command.getOptionValueSource(name) !== "cli") continue;
    const value = readFlag(given, command.getOptionValue(name));
    const [key = "", inner] = given.path.split(".");
    config[key] = inner === undefined ? value : { ...(config[key] as object | undefined), [inner]: value };
  }
  return config;
}

/** Flags that every command with a config has in addition to the config's own. */
export function readCommonFlags(command: Command): Omit<RunFlags, "given"> {
  refuseReader(command);
  const { config, json, unattended } = command.opts<{
    config?: string;
    json: boolean;
    unattended: boolean;
  }>();
  const taken = flagsFor("trust").map(({ flag }) => new Option(flag).attributeName());
  return {
    config,
    json,
    unattended,
    typed: typedFlags(command, (name) => ["config", "keys", ...taken].includes(name)),
  };
}

/** Some of the flags typed for a command, in a form that can be typed again. */
export function typedFlags(command: Command, isWanted: (name: string) => boolean): readonly string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (!isWanted(name) || command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? option.flags;
    if (typeof value === "boolean") return [flag];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => [flag, String(one)]);
  });
}

const flagsFor = (kind: CommandKind): readonly ConfigFlag[] =>
  configFlags.filter(({ path, only }) => {
    if (kind === "trust") return ofTrust.has(path);
    if (kind === "sleep") return only === "sleep" || ofNights.has(path);
    return only === undefined || [only].flat().includes(kind);
  });

/** Config keys that decide what runs and where data goes. */
const ofTrust: ReadonlySet<string> = new Set(
  "tasks drop environment target optimizer judge miner baseURL executor redis journal telemetry".split(" "),
);

/** Config keys whose flags nights share with training. */
const ofNights: ReadonlySet<string> = new Set(
  `target optimizer judge baseURL prices targetMaxTokens optimizerMaxTokens temperature seed metric
  spend.usd spend.tokens spend.calls spend.minutes sandbox maxPendingShare concurrency callSeconds
  journal offline telemetry verbose`.split(/\s+/),
);

export const withRunFlags = (command: Command): Command =>
  command
    .option("--config <path>", "a config file (default: whetstone.config.mts, .ts, .js or .json here)")
    .option("--unattended", "only run code and use hosts that `whetstone trust` allowed", false)
    .option("--json", "print one event per line", false);

export const withJournalFlags = (command: Command): Command =>
  command
    .option("--journal <folder>", "journal to use (default: the project's own)")
    .option("--config <path>", "a config file");

export function readRunFlags(skill: string | undefined, command: Command): RunFlags {
  const given = { ...readConfigFlags(command), ...(skill === undefined ? {} : { skill }) };
  return { ...readCommonFlags(command), given };
}

/** `runs --journal x show` and `runs show --journal x` are the same. */
export async function findJournal(command: Command, io: Io): Promise<JournalPlace> {
  const { readPlace } = await import("./read-config.ts");
  return readPlace(command.optsWithGlobals<{ journal?: string; config?: string }>(), io);
}

/** The same journal, in the form that library calls take. */
export async function findProject(command: Command, io: Io): Promise<ProjectOptions> {
  const { journalDir, journalUrl } = await findJournal(command, io);
  return { cwd: io.cwd, journal: journalUrl ?? journalDir };
}

export const isJson = (command: Command): boolean =>
  command.optsWithGlobals<{ json?: boolean }>().json === true;

/** For a command's own flag that counts something. */
export function readCount(value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}

/** For a flag that can be repeated. */
export const collect = (value: string, before: unknown): unknown => [
  ...(Array.isArray(before) ? before : []),
  value,
];

/** Text that isn't a number is passed on unchanged, and the config refuses it with its own message. */
function readFlag({ path, flag }: ConfigFlag, value: unknown): unknown {
  if (path === "prices") return readPrices(value);
  const isNumber = /<(n|t|share)>$/.test(flag) && String(value).trim() !== "" && !Number.isNaN(Number(value));
  return isNumber ? Number(value) : value;
}

function readPrices(values: unknown): Config["prices"] {
  const prices = (Array.isArray(values) ? values : [values]).map((value) => {
    const [, model, input, output] = /^([^=]+)=([\d.]+),([\d.]+)$/.exec(String(value)) ?? [];
    if (model !== undefined) return [model, { input: Number(input), output: Number(output) }] as const;
    throw new WhetstoneError("usage", `--price is "${String(value)}", which isn't model=input,output.`, {
      hint: "Write USD per million tokens, such as --price openai/my-model=0.25,2",
    });
  });
  return Object.fromEntries(prices);
}
