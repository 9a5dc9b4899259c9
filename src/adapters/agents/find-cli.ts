import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { WhetstoneError } from "../../core/errors.ts";
import { isExecutable, onPath } from "../on-path.ts";
import type { AgentCli, AgentSettings } from "./agent-cli.ts";

export interface FoundCli {
  /** The program on the host, with links resolved. */
  readonly program: string;
  /** The folder that must be readable inside: the package with everything it needs, or just the program. */
  readonly mount: string;
  /** The program's path within `mount`; empty if they are the same. */
  readonly within: string;
  /** The version it reports. */
  readonly version: string;
}

/** Finds an installed agent and asks for its version. Throws `agent-missing` with the install command. */
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

/** npm installs these on Windows. Only a shell can start them, and a shell parses every argument again. */
const needsShell = (program: string): boolean => /\.(?:cmd|bat|ps1)$/i.test(program);

const shellOnly = (name: string, program: string) =>
  new WhetstoneError(
    "agent-missing",
    `${program} is a shell script, so the agent ${name} can't be started safely here.`,
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

/** npm puts an agent's native binary and its dependencies next to it, all in the outermost `node_modules`. */
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
    // reported below
  }
  throw new WhetstoneError("agent-missing", `${program} doesn't report its version.`, {
    hint: `Reinstall it: npm install -g ${cli.packageName}`,
  });
}

function missing(
  { name, program, packageName }: Pick<AgentCli, "name" | "program" | "packageName">,
  command?: string,
) {
  const where = command === undefined ? `No program "${program}" is on PATH` : `${command} isn't a program`;
  return new WhetstoneError("agent-missing", `${where}, but the agent ${name} needs it.`, {
    hint: `Install it: npm install -g ${packageName}`,
  });
}
