import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

export interface CommandPlace {
  readonly cwd: string;
  /** All that it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** @default the one of the source */
  readonly cli?: string;
}

export interface CommandEnd {
  readonly code: number | null;
  /** Everything that it printed, to either stream. */
  readonly printed: string;
  readonly ms: number;
}

const source = join(import.meta.dirname, "../../test/support/person-cli.ts");

/** Runs a command of the CLI to its end; `onStart` may end it. */
export function runCli(
  args: readonly string[],
  { cwd, env, cli = source }: CommandPlace,
  onStart?: (child: ChildProcess) => void,
): Promise<CommandEnd> {
  const started = performance.now();
  const child = spawn(process.execPath, [cli, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const listen = (chunk: Buffer) => {
    printed += chunk.toString();
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  onStart?.(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, printed, ms: Math.round(performance.now() - started) }));
  });
}
