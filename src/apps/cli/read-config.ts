import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { JournalPlace } from "../../adapters/journals/open-journal.ts";
import { journalPlace } from "../../config/journal-place.ts";
import { isPostgresAddress, withoutPassword } from "../../adapters/journals/postgres/postgres-connection.ts";
import { addToEnv, readEnv } from "../../config/env.ts";
import { allowConnecting } from "../../adapters/look-only.ts";
import { allowProjectPeers } from "../../adapters/load-peer.ts";
import { type Destinations, findDestinations, findStores } from "../../config/trust/find-destinations.ts";
import {
  type ImportGuard,
  guardImports,
  noteOwnFiles,
  notConsented,
} from "../../config/trust/guard-imports.ts";
import { guessableModels } from "../../config/guess.ts";
import { addressVariables } from "../../config/resolve/usual-variables.ts";
import { expandConfig, findConfigFile, loadConfig, loadConfigData, mergeConfigs } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { newDestinations } from "../../run/trust/differences.ts";
import { type ProjectMemory, type Trust, projectMemory } from "../../run/trust/memory.ts";
import { noteCommands, notePrograms, surveyCode, surveyPeers } from "../../run/trust/survey.ts";
import { flagOf } from "../../config/config-flags.ts";
import type { Io } from "../../show/io.ts";
import { shownFrom } from "../../show/shown-from.ts";

export interface RunFlags {
  /** The config file's path. */
  readonly config?: string;
  readonly json: boolean;
  /** Flags that stand for config keys. */
  readonly given: Config;
  /** Whether nobody is watching, so only code and hosts that were allowed may be used. @default false */
  readonly unattended?: boolean;
  /** File of keys as NAME=value lines, for timers, which don't have the shell's variables. */
  readonly keys?: string;
  /** Whether the command ignores the config's environment and tasks. @default false */
  readonly notesPrograms?: boolean;
  /** Folder to read the config and its code from. @default the project's own */
  readonly folder?: string;
  /** The flags that `whetstone trust` takes too, as typed. @default none */
  readonly typed?: readonly string[];
}

type ConfigFlags = Omit<RunFlags, "json">;

/** The config file with the flags on top. Runs the project's code, so only commands that work may call it. */
export async function readConfig(flags: ConfigFlags, io: Io): Promise<Config> {
  if (flags.keys !== undefined && flags.unattended !== true)
    throw new WhetstoneError("usage", "--keys is for commands that run unattended.", {
      hint: "Add --unattended, or set the variables in your shell.",
    });
  const memory = projectMemory(io.cwd);
  const config =
    flags.unattended === true ? (await readAllowed(flags, io)).config : await readHere(flags, io, memory);
  if (flags.folder === undefined) await rememberJournal(config, flags, io, memory);
  return config;
}

export interface SurveyedConfig {
  readonly config: Config;
  /** sha256 by absolute path. */
  readonly files: ReadonlyMap<string, string>;
  readonly sends: Destinations;
}

/** The config, with all code that a run of it would load and every place that it would send to. */
export async function surveyConfig(flags: ConfigFlags, io: Io): Promise<SurveyedConfig> {
  // the guessed model may depend on which key is set
  if (flags.keys !== undefined) {
    const usual = new Set(guessableModels.map(({ variable }) => variable));
    takeKeys(resolve(io.cwd, flags.keys), (name) => usual.has(name));
  }
  const guard = guardImports();
  // its files are noted, and the person is asked about them afterwards
  allowProjectPeers({ folder: io.cwd, guard: () => ({ release: () => {} }) });
  try {
    const { config, written } = await load(flags, io);
    noteOwnFiles(io.cwd);
    await surveyCode(config, io.cwd);
    await surveyPeers(config);
    const memory = projectMemory(io.cwd);
    await tell([...guard.files.keys()], io, memory);
    await rememberJournal(config, flags, io, memory);
    const stores = flags.given.journal === undefined ? findStores({ journal: written.journal }) : {};
    return { config, files: guard.files, sends: { ...findDestinations(config, readEnv()), ...stores } };
  } finally {
    guard.release();
    allowConsented(io);
  }
}

/** From now on, optional packages of this folder can load too, but only files that a person has allowed. */
function allowConsented({ cwd: folder }: Io, typed: readonly string[] = []): void {
  allowProjectPeers({
    folder,
    guard() {
      const { trust } = projectMemory(folder).read();
      return trust && guardTrusted(trust, typed);
    },
  });
}

const guardTrusted = ({ files }: Trust, typed: readonly string[]): ImportGuard =>
  guardImports({
    allowed: new Map(Object.entries(files)),
    refuse: (change) => notConsented([change], typed),
  });

/** Finds the journal for commands that only read. They read a JSON config, which is data, but not one that is code. */
export async function readPlace(
  { journal, config: named }: { readonly journal?: string; readonly config?: string | undefined },
  io: Io,
): Promise<JournalPlace> {
  if (journal !== undefined) {
    allowConnecting();
    return journalPlace((await expandConfig({ journal }, io.cwd, "The command line")).journal, io.cwd);
  }
  const { config, code } = await loadConfigData(io.cwd, named);
  const typed = named === undefined ? [] : ["--config", named];
  const memory = projectMemory(io.cwd).read();
  refuseStores({ journal: config.journal }, memory.trust, typed);
  if (config.journal !== undefined) return journalPlace(config.journal, io.cwd);
  const usual = journalPlace(undefined, io.cwd);
  if (code === undefined) return usual;
  const known = memory.journals[findConfigFile(io.cwd, named) ?? ""];
  refuseStores({ journal: known }, memory.trust, typed);
  if (known !== undefined && known !== "") return journalPlace(known, io.cwd);
  if (known === "" || existsSync(usual.journalDir)) return usual;
  throw new WhetstoneError(
    "not-found",
    `This command doesn't run ${code}, so it can't tell where the journal is.`,
    {
      hint: "Add --journal <folder>, or type `whetstone plan` once, which runs the config and remembers the journal.",
    },
  );
}

interface Loaded {
  readonly config: Config;
  /** The part that comes from the project's files. */
  readonly written: Config;
}

async function load({ config, given, folder }: ConfigFlags, io: Io): Promise<Loaded> {
  const { config: written } = await loadConfig(folder ?? io.cwd, config);
  const typed = await expandConfig(given, folder ?? io.cwd, "The command line", flagOf);
  return { config: mergeConfigs(written, typed), written };
}

/** A project's file can name any host, so nothing connects to one, even to read, until a person has allowed it. */
function refuseStores(
  named: Parameters<typeof findStores>[0],
  trust: Trust | undefined,
  typed: readonly string[],
) {
  const changes = newDestinations(findStores(named), trust?.sends ?? {});
  if (changes.length > 0) throw notConsented(changes, typed);
  allowConnecting();
}

/** For a command typed by hand. The project's code runs, as with every Node tool, and we tell the person which files. */
async function readHere(flags: ConfigFlags, io: Io, memory: ProjectMemory): Promise<Config> {
  const guard = guardImports();
  allowConsented(io, flags.typed);
  try {
    const { config, written } = await load(flags, io);
    const { journal, redis } = flags.given;
    // a value typed by hand is the person's own choice
    refuseStores(
      {
        executor: config.executor,
        ...(journal === undefined ? { journal: written.journal } : {}),
        ...(redis === undefined ? { redis: written.redis } : {}),
      },
      memory.read().trust,
      flags.typed ?? [],
    );
    if (flags.notesPrograms === true) notePrograms(config, io.cwd);
    else await surveyCode(config, flags.folder ?? io.cwd);
    await tell([...guard.files.keys()], io, memory);
    return config;
  } finally {
    guard.release();
  }
}

export interface AllowedConfig {
  readonly config: Config;
  /** Stays active until released, because environments and scorers load later and may load more while they run. */
  readonly guard: ImportGuard;
}

/** For unattended runs, with only the code, hosts and keys that a person has allowed with `whetstone trust`. */
export async function readAllowed(flags: ConfigFlags, io: Io): Promise<AllowedConfig> {
  const { keys, typed = [] } = flags;
  const { trust } = projectMemory(io.cwd).read();
  if (trust === undefined) throw notConsented([`what would run in ${io.cwd}`], typed);
  const named = new Set(Object.values(trust.sends).flat());
  if (keys !== undefined) {
    const left = takeKeys(resolve(io.cwd, keys), (name) => named.has(name));
    if (left.length > 0)
      io.warn(`${keys}: ${left.join(", ")} left out, because the consent doesn't name it.`);
  }
  allowConsented(io, typed);
  const guard = guardTrusted(trust, typed);
  try {
    noteOwnFiles(io.cwd);
    const { config, written } = await load(flags, io);
    notePrograms(config, io.cwd);
    if (flags.notesPrograms !== true) await noteCommands(config, io.cwd);
    if (flags.given.journal === undefined) refuseStores({ journal: written.journal }, trust, typed);
    const changes = newDestinations(findDestinations(config, readEnv()), trust.sends);
    if (changes.length > 0) throw notConsented(changes, typed);
    return { config, guard };
  } catch (error) {
    guard.release();
    throw error;
  }
}

/**
 * Takes only some variables from a file that others may be able to write, because a variable can also change what runs.
 * Returns the rest. (Node's own `--env-file` takes all of them, even NODE_OPTIONS, wherever it is on the command line.)
 */
function takeKeys(file: string, isNamed: (name: string) => boolean): readonly string[] {
  const keys = readKeys(file);
  const isTaken = (name: string) => isNamed(name) || placeVariable.test(name);
  addToEnv(new Map([...keys].filter(([name]) => isTaken(name))));
  return [...keys.keys()].filter((name) => !isTaken(name));
}

function readKeys(file: string): ReadonlyMap<string, string> {
  try {
    return new Map(
      Object.entries(parseEnv(readFileSync(file, "utf8"))).map(([name, value = ""]) => [name, value]),
    );
  } catch (cause) {
    throw new WhetstoneError("not-found", `${file} can't be read.`, { cause, hint: "Correct --keys." });
  }
}

/** Variables that name a host, which the consent must name in turn. */
const placeVariable = new RegExp(
  `^(?:https?_proxy|no_proxy|AZURE_RESOURCE_NAME|${addressVariables.join("|")})$`,
  "i",
);

async function tell(files: readonly string[], io: Io, memory: ProjectMemory): Promise<void> {
  const code = files.filter((path) => !path.endsWith(".json")).toSorted();
  const { told } = memory.read();
  if (code.every((path) => told.includes(path))) return;
  io.warn(`Running code from this folder: ${codeText(code, io)}.`);
  await remember(memory, { told: [...new Set([...told, ...code])].toSorted() });
}

/** The project's files by name, and packages by their names. */
export function codeText(files: readonly string[], { cwd }: Pick<Io, "cwd">): string {
  const shown = files.map((path) =>
    shownFrom(cwd)(path).replace(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/.*$/, "$1"),
  );
  return [...new Set(shown)].join(", ");
}

/** Commands that only read don't run a config that is code, so the journal it named is kept for them. */
async function rememberJournal(
  { journal = "" }: Config,
  { config: named, given }: ConfigFlags,
  io: Io,
  memory: ProjectMemory,
): Promise<void> {
  const file = findConfigFile(io.cwd, named);
  if (
    file === undefined ||
    given.journal !== undefined ||
    (await loadConfigData(io.cwd, named)).code === undefined
  )
    return;
  const { [file]: known, ...others } = memory.read().journals;
  const place = isPostgresAddress(journal) ? withoutPassword(journal) : journal;
  if (known === place) return;
  await remember(memory, { journals: { ...others, [file]: place } });
}

/** Optional: if nothing can be stored, the command goes on without it. */
const remember = (memory: ProjectMemory, changes: Parameters<ProjectMemory["write"]>[0]): Promise<void> =>
  memory.write(changes).catch(() => {});
