import { createReadStream, statSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, isAbsolute } from "node:path";
import { hashJson } from "../../core/canonical.ts";
import { InfraError, WhetstoneError } from "../../core/errors.ts";
import type { AgentRequest } from "../../core/ports/agent.ts";
import type { Inside, SandboxCommand } from "../../core/ports/sandbox.ts";
import { createPatientFetch } from "../models/patient-fetch.ts";
import {
  type AgentCli,
  type AgentSettings,
  dummyKey,
  type EventReader,
  type PreparedCli,
} from "./agent-cli.ts";
import { type FoundCli, locateProgram } from "./find-cli.ts";
import { installSkills } from "./install-skills.ts";
import type { CliOptions, OpenCli } from "./open-cli.ts";
import { connectProvider, parseProviderModel } from "./provider-upstream.ts";

/**
 * An agent we don't know, described by its user. In `argv` and `env`, these placeholders are filled in inside:
 * `{baseUrl}` (the model server, without `/v1`), `{key}` (a dummy: the real one stays outside), `{model}`, `{home}`,
 * `{workspace}` and `{skills}` (the folder with the skills).
 */
export interface ConfiguredSettings extends Pick<AgentSettings, "baseURL" | "apiKeyEnv"> {
  /** The program, by path or by name on PATH, and its arguments. Files given by absolute path are readable inside. */
  readonly argv: readonly string[];
  /** Variables. It gets no others except PATH, HOME, TMPDIR and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in its home where it looks for skills. @default ".agents/skills" */
  readonly skills?: string;
  /** The file in its home with its standing instructions. @default none: they go before the prompt */
  readonly instructions?: string;
  /** Other host files and folders it needs, each readable at the same path. */
  readonly mounts?: readonly string[];
  /** A different version is a different agent. @default the hash of the program's file */
  readonly version?: string;
}

export interface ConfiguredOptions<Settings = ConfiguredSettings>
  extends Omit<CliOptions, "model" | "settings"> {
  /** `provider/model`. Without it, no model can be reached from inside. */
  readonly model?: string;
  readonly settings: Settings;
}

export interface Configured {
  readonly id: string;
  readonly version: string;
  /** The agent in the driver's form, for one rollout. */
  open(run: ConfiguredRun): OpenCli;
}

interface ConfiguredRun {
  /** Its input, with the placeholders in `argv` and `env` already filled in. */
  readonly stdin: (inside: Inside, prompt: string) => SandboxCommand["stdin"];
  readonly reader: EventReader;
}

export async function openConfigured(name: string, options: ConfiguredOptions): Promise<Configured> {
  const { model, settings, env } = options;
  const found = await findConfigured(name, options);
  const { baseURL, apiKeyEnv } = settings;
  const cliOptions: CliOptions = { ...options, model: model ?? "", settings: { baseURL, apiKeyEnv } };
  return {
    id: `${name}/${model ?? "default"}`,
    version: found.version,
    open: ({ stdin, reader }) => {
      const cli: AgentCli = {
        name,
        program: found.program,
        packageName: name,
        login: `the login of ${name}`,
        vendor: undefined,
        provider: (id) => (model === undefined ? "none" : parseProviderModel(id).provider),
        connect: (host) =>
          model === undefined
            ? Promise.resolve(nowhere)
            : connectProvider(host, { login: cli.login, authFile: "" }),
        prepare: (task) => prepare(settings, found, task, stdin),
        createReader: () => reader,
      };
      return {
        cli,
        found,
        mounts: Object.fromEntries(
          [...scriptsIn(settings.argv), ...(settings.mounts ?? [])].map((path) => [path, path]),
        ),
        connect: () => cli.connect({ ...cliOptions, program: found.program }),
        fetch: model === undefined ? refuseFetch(name) : createPatientFetch(env),
        options: cliOptions,
      };
    },
  };
}

const nowhere = {
  baseURL: "http://no-model.invalid/v1",
  pays: "none",
  headers: () => Promise.resolve({}),
} as const;

const refuseFetch = (name: string) => (): Promise<never> =>
  Promise.reject(new InfraError("refused", `${name} asked for a model, but its settings don't name one.`));

async function findConfigured(name: string, { settings, env }: ConfiguredOptions): Promise<FoundCli> {
  const { argv, env: variables = {}, skills = defaultSkills, instructions = null } = settings;
  const found = locateProgram(argv[0] ?? "", env);
  if (found === undefined) {
    throw new WhetstoneError(
      "agent-missing",
      `The agent ${name} needs the program "${argv[0] ?? ""}", which doesn't exist.`,
      { hint: "Install it, or start its command with the program's absolute path." },
    );
  }
  const wrong = (settings.mounts ?? []).find((path) => !isAbsolute(path));
  if (wrong !== undefined) {
    throw new WhetstoneError(
      "config-invalid",
      `The mount "${wrong}" of the agent ${name} isn't an absolute path.`,
      { hint: "Write it from the root, starting with /." },
    );
  }
  const scripts = scriptsIn(argv);
  const program = settings.version ?? (await hashFiles([found.program, ...scripts]));
  // everything passed to it changes the agent's identity, but its place on this machine doesn't
  const identity = {
    argv: [
      basename(found.program),
      ...argv.slice(1).map((word) => (scripts.includes(word) ? basename(word) : word)),
    ],
    variables,
    skills,
    instructions,
    program,
  };
  return { ...found, version: hashJson(identity).slice(0, 12) };
}

/** Local files among the arguments: `node /home/me/agent.mjs` needs its script. */
const scriptsIn = (argv: readonly string[]): readonly string[] =>
  argv
    .slice(1)
    .filter((word) => isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true);

async function hashFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  }
  return hash.digest("hex");
}

function prepare(
  settings: ConfiguredSettings,
  found: FoundCli,
  task: Pick<AgentRequest, "prompt" | "skills" | "instructions"> & { readonly model: string },
  stdin: ConfiguredRun["stdin"],
): PreparedCli {
  const { skills: folder = defaultSkills, instructions: file } = settings;
  const { files, executable } = installSkills(folder, task.skills);
  const { instructions } = task;
  const prompt =
    instructions === undefined || file !== undefined ? task.prompt : `${instructions}\n\n${task.prompt}`;
  return {
    home: { ...files, ...(file === undefined || instructions === undefined ? {} : { [file]: instructions }) },
    executable,
    command(inside, program) {
      const fill = fillWith({
        baseUrl: inside.baseUrl,
        key: dummyKey,
        model: task.model.slice(task.model.indexOf("/") + 1),
        home: inside.home,
        workspace: inside.workspace,
        skills: `${inside.home}/${folder}`,
        prompt,
      });
      const [, ...rest] = settings.argv;
      return {
        // a system program is where it always is, and finds its own files from there
        argv: [isOfTheSystem(found.program) ? found.program : program, ...rest.map(fill)],
        env: Object.fromEntries(
          Object.entries(settings.env ?? {}).map(([name, value]) => [name, fill(value)]),
        ),
        stdin: stdin(inside, prompt),
      };
    },
  };
}

const defaultSkills = ".agents/skills";

const fillWith =
  (words: Readonly<Record<string, string>>) =>
  (text: string): string =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(words, name) ? (words[name] ?? "") : whole,
    );

const isOfTheSystem = (program: string): boolean => /^\/(?:usr|bin|sbin|lib|nix\/store)\//.test(program);
