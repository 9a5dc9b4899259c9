import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { WhetstoneError } from "../../core/errors.ts";
import { isExecutable, onPath } from "../on-path.ts";
import type { AgentCli, AgentSettings } from "./agent-cli.ts";

export interface FoundCli {
  /** The program on the host, without symbolic links. */
  readonly program: string;
  /** What must be readable inside: the package folder with all it needs, or the program alone. */
  readonly mount: string;
  /** The program's path within `mount`; empty when they are the same. */
  readonly within: string;
  /** What it says of itself. */
  readonly version: string;
}

/** Finds an installed agent and asks it for its version. Throws `agent-missing` with the install line. */
export async function findCli(
  cli: Pick<AgentCli, "name" | "program" | "packageName">,
  settings: Pick<AgentSettings, "command">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundCli> {
  const found = locateProgram(settings.command === undefined ? cli.program : resolve(settings.command), env);
  if (found === undefined) throw missing(cli, settings.command);
  if (needsShell(found.program)) throw shellOnly(cli.name, found.program);
  return { ...found, version: await askVersion(cli, found.program, env) };
}

/** What npm installs on Windows: only a shell starts it, and a shell reads every argument anew. */
const needsShell = (program: string): boolean => /\.(?:cmd|bat|ps1)$/i.test(program);

const shellOnly = (name: string, program: string) =>
  new WhetstoneError(
    "agent-missing",
    `${program} is a script of a shell: the agent ${name} cannot be started safely here.`,
    {
      hint: "Run whetstone and the agent in WSL, where agents also have a sandbox.",
    },
  );

/** A program by its path, or by its name on PATH. */
export function locateProgram(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
): Omit<FoundCli, "version"> | undefined {
  const found = command.includes(sep) ? command : onPath(command, env);
  if (found === undefined || !isExecutable(found)) return undefined;
  const program = realpathSync(found);
  const mount = mountFor(program);
  return { program, mount, within: mount === program ? "" : relative(mount, program) };
}

/** npm puts an agent's native binary and its dependencies beside it: the outermost `node_modules` holds them all. */
function mountFor(program: string): string {
  const parts = program.split(sep);
  const modules = parts.indexOf("node_modules");
  if (modules !== -1) return parts.slice(0, modules + 1).join(sep);
  for (const folder of [dirname(program), dirname(dirname(program))]) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return program;
}

async function askVersion(
  cli: Pick<AgentCli, "name" | "packageName">,
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, ["--version"], { env, timeout: 30_000 });
    const version = /\d+\.\d+\.\d+[\w.-]*/.exec(`${stdout}\n${stderr}`)?.[0];
    if (version !== undefined) return version;
  } catch {
    // told below
  }
  throw new WhetstoneError("agent-missing", `${program} does not tell its version.`, {
    hint: `Install it again: npm install -g ${cli.packageName}`,
  });
}

function missing(
  { name, program, packageName }: Pick<AgentCli, "name" | "program" | "packageName">,
  command?: string,
) {
  const where = command === undefined ? `No program "${program}" is on PATH` : `${command} is not a program`;
  return new WhetstoneError("agent-missing", `${where}, and the agent ${name} needs it.`, {
    hint: `Install it: npm install -g ${packageName}`,
  });
}
