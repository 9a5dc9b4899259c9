import { spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { onPath } from "./on-path.ts";

export type ToolEnvironment = Readonly<Record<string, string | undefined>>;

export interface ToolRun {
  readonly exitCode: number | null;
  /** Bytes, because a crontab needn't be UTF-8. */
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs a system program and waits for it; undefined if it isn't on PATH. */
export async function runTool(
  [name = "", ...words]: readonly string[],
  {
    env,
    input = Buffer.alloc(0),
    seconds = 30,
    cwd,
  }: {
    readonly env: ToolEnvironment;
    readonly input?: Buffer;
    readonly seconds?: number;
    readonly cwd?: string;
  },
): Promise<ToolRun | undefined> {
  const program = isAbsolute(name) ? name : onPath(name, env);
  if (program === undefined) return undefined;
  return await new Promise((resolve, reject) => {
    // we parse the messages, so they must be in one language
    const child = spawn(program, words, { cwd, env: { ...env, LC_ALL: "C" }, timeout: seconds * 1000 });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (exitCode) =>
      resolve({ exitCode, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString().trim() }),
    );
    // a program that has read enough may have ended
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
