import { spawn } from "node:child_process";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { vi } from "vitest";
import { openIo } from "../../src/apps/cli/open-io.ts";
import { createProgram } from "../../src/apps/cli/program.ts";
import { readEnv } from "../../src/config/env.ts";
import { reportError } from "../../src/show/report-error.ts";

/** The command line as a program, for those who start it themselves. */
export const personCli = join(import.meta.dirname, "person-cli.ts");

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Circumstances {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Options of node. */
  readonly node?: readonly string[];
  /** Hears of everything that was printed until now. */
  readonly onOut?: (pid: number, out: string) => void;
}

/** A command in a process of its own, as a person types it in a folder that is their home as well. */
export function spawnWhetstone(
  dir: string,
  args: readonly string[],
  { env = {}, node = [], onOut }: Circumstances = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const { PATH, XDG_STATE_HOME } = process.env;
    const child = spawn(process.execPath, [...node, personCli, ...args], {
      cwd: dir,
      env: { PATH, HOME: dir, NO_COLOR: "1", XDG_STATE_HOME, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
      onOut?.(child.pid ?? 0, out);
    });
    child.stderr.on("data", (chunk) => (err += String(chunk)));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

/** The same within this process, without the second that another takes to start; one at a time, since it changes the folder. */
export async function typeWhetstone(dir: string, args: readonly string[]): Promise<Ended> {
  let [out, err] = ["", ""];
  const keeping = (keep: (text: string) => void) =>
    new Writable({
      write(chunk, _, done) {
        keep(String(chunk));
        done();
      },
    });
  const from = process.cwd();
  process.chdir(dir);
  vi.stubEnv("HOME", dir);
  vi.stubEnv("NO_COLOR", "1");
  const io = openIo({
    stdin: Readable.from([]),
    stdout: keeping((text) => (out += text)),
    stderr: keeping((text) => (err += text)),
    isAnswered: false,
    env: readEnv(),
    cwd: dir,
    program: ["whetstone"],
    stop: new AbortController(),
    typed: (text) => text,
  });
  try {
    await createProgram(io, "0", [...args]).parseAsync([...args], { from: "user" });
    return { code: 0, out, err };
  } catch (error) {
    const code = reportError(error, io, args);
    return { code, out, err };
  } finally {
    vi.unstubAllEnvs();
    process.chdir(from);
  }
}
