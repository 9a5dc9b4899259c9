import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { WhetstoneError } from "../../core/errors.ts";
import type { Sandbox, SandboxLimits } from "../../core/ports/sandbox.ts";
import { isExecutable, onPath } from "../on-path.ts";
import { bubblewrapSandbox, kernelLimits } from "./bubblewrap.ts";
import { containerSandbox } from "./container.ts";
import { noSandbox } from "./no-sandbox.ts";
import { seatbeltSandbox } from "./seatbelt.ts";

export type SandboxChoice = "auto" | Sandbox["name"];

export interface SandboxSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default this machine's */
  readonly platform?: NodeJS.Platform;
  /** For `container`. @default node:24-bookworm-slim */
  readonly image?: string;
}

/**
 * Opens the named sandbox, tried once, or this system's own. If there is none, the run is refused: `none` is never a
 * fallback and must be asked for.
 *
 * @example
 * const sandbox = await chooseSandbox("auto", { env: { PATH: "/usr/bin:/bin" } });
 * console.log(sandbox.name);
 */
export async function chooseSandbox(
  choice: SandboxChoice,
  { env, platform = process.platform, image }: SandboxSurroundings,
): Promise<Sandbox> {
  const name = choice === "auto" ? (platform === "darwin" ? "seatbelt" : "bubblewrap") : choice;
  if (choice === "auto" && platform !== "darwin" && platform !== "linux") {
    throw missing("This system doesn't have a sandbox of its own.", containerHint);
  }
  if (name === "none") return noSandbox();
  if (name === "bubblewrap") return await findBubblewrap(env, platform);
  if (name === "seatbelt") {
    const program = "/usr/bin/sandbox-exec";
    if (platform === "darwin" && isExecutable(program)) return seatbeltSandbox({ program });
    throw missing("Seatbelt (sandbox-exec) is only available on macOS.", containerHint);
  }
  for (const runtime of ["docker", "podman"]) {
    const program = onPath(runtime, env);
    if (program === undefined) continue;
    const own = plainEnv(
      env,
      "PATH HOME DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG CONTAINER_HOST XDG_RUNTIME_DIR".split(" "),
    );
    const problem = await tryRun(program, ["info"], own);
    if (problem === undefined) return containerSandbox({ program, env: own, image });
    throw missing(
      `${runtime} is installed but doesn't answer: ${problem}`,
      `Start it (\`${runtime} info\` must succeed).`,
    );
  }
  throw missing("Neither docker nor podman is installed.", "Install one of them, or choose another sandbox.");
}

async function findBubblewrap(env: SandboxSurroundings["env"], platform: NodeJS.Platform): Promise<Sandbox> {
  if (platform !== "linux") throw missing("bubblewrap only runs on Linux.", containerHint);
  const program = onPath("bwrap", env);
  if (program === undefined)
    throw missing(
      "Agents, graders and code checks (`javascript` and `python` asserts) run in a sandbox, but bubblewrap isn't installed.",
      await installHint(),
    );
  const own = plainEnv(env, ["PATH"]);
  const help = await outputOf(program, ["--help"], own);
  if (!help.includes("--disable-userns")) {
    throw missing(`bubblewrap 0.8 or newer is required, but ${program} is older.`, await installHint());
  }
  const problem = await tryRun(
    program,
    ["--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"],
    own,
  );
  if (problem !== undefined) {
    throw missing(`bubblewrap is installed but can't create a sandbox here: ${problem}`, namespaceHint);
  }
  return bubblewrapSandbox({ program, env: own, ...(await findScope(env)) });
}

/** With a systemd scope, the kernel enforces the memory and task limits. Without one, the watch does. */
async function findScope(env: SandboxSurroundings["env"]) {
  const program = onPath("systemd-run", env);
  if (program === undefined) return {};
  const whose = process.getuid?.() === 0 ? [] : ["--user"];
  const own = plainEnv(env, ["PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"]);
  const scope = (limits: SandboxLimits) => scopeCommand(program, whose, limits);
  const [tool = "", ...words] = scope({ seconds: 1, memoryMb: 64, processes: 8, diskMb: 1 });
  return (await tryRun(tool, [...words, "true"], own)) === undefined ? { scope, env: own } : {};
}

export const scopeCommand = (
  program: string,
  whose: readonly string[],
  limits: SandboxLimits,
): readonly string[] => {
  const { memoryMb, tasks } = kernelLimits(limits);
  const held = ["-p", `MemoryMax=${memoryMb}M`, "-p", "MemorySwapMax=0", "-p", `TasksMax=${tasks}`];
  return [program, ...whose, "--scope", "--quiet", "--collect", ...held, "--"];
};

const missing = (sentence: string, hint: string): WhetstoneError =>
  new WhetstoneError("sandbox-missing", sentence, { hint });

const containerHint =
  "Install docker or podman and use `--sandbox container`; `--sandbox none` runs agents and code unprotected on this machine. `--drop javascript` leaves such asserts out of a suite.";

const namespaceHint =
  "Allow user namespaces for bwrap (on Ubuntu: its AppArmor profile; in a container: its seccomp profile), or use `--sandbox container`.";

/** The command that installs bubblewrap on this Linux. */
async function installHint(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  const ids = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)/gm)].flatMap(([, id = ""]) => id.split(" "));
  const known = ids.map((id) => installers[id]).find((line) => line !== undefined);
  return `Install it: ${known ?? "with your package manager, as bubblewrap"}. Or ${lowerFirst(containerHint)}`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const installers: Readonly<Record<string, string>> = {
  debian: "sudo apt-get install bubblewrap",
  ubuntu: "sudo apt-get install bubblewrap",
  fedora: "sudo dnf install bubblewrap",
  rhel: "sudo dnf install bubblewrap",
  arch: "sudo pacman -S bubblewrap",
  alpine: "sudo apk add bubblewrap",
  suse: "sudo zypper install bubblewrap",
  opensuse: "sudo zypper install bubblewrap",
  nixos: "nix-env -iA nixos.bubblewrap",
};

function plainEnv(env: SandboxSurroundings["env"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

const run = promisify(execFile);

const outputOf = (program: string, words: readonly string[], env: Record<string, string>): Promise<string> =>
  run(program, [...words], { env, timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => "",
  );

/** The problem, or undefined. */
const tryRun = (
  program: string,
  words: readonly string[],
  env: Record<string, string>,
): Promise<string | undefined> =>
  run(program, [...words], { env, timeout: 10_000 }).then(
    () => undefined,
    (error: Error & { readonly stderr?: string }) => (error.stderr?.trim() || error.message).slice(-300),
  );
