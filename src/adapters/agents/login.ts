import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InfraError } from "../../core/errors.ts";
import { holdProcessLock } from "../journals/process-lock.ts";
import type { CliHost } from "./agent-cli.ts";

/** The content of a CLI's own login file. */
export interface StoredLogin {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch; undefined if the file doesn't say. */
  readonly expiresAt: number | undefined;
}

export interface LoginOptions {
  readonly agent: string;
  /** The command a person types to log in again. */
  readonly login: string;
  readonly host: CliHost;
  readonly read: () => Promise<StoredLogin | undefined>;
  /** Arguments for the smallest headless call. On the way, the CLI refreshes its login. */
  readonly refresh: readonly string[];
  /** Extra variables for that call, in addition to the host's. @default none */
  readonly refreshEnv?: Readonly<Record<string, string>>;
}

/**
 * A login's headers, read again for each call. If it has expired, the CLI itself refreshes it on the host, one caller
 * at a time: a refresh token used twice is dead.
 */
export function loginHeaders(options: LoginOptions): () => Promise<StoredLogin["headers"]> {
  let refreshing: Promise<void> | undefined;
  return async () => {
    let stored = await options.read();
    if (isExpired(stored)) {
      refreshing ??= refresh(options).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
      stored = await options.read();
    }
    if (stored === undefined) throw loginError(options, "isn't logged in");
    if (isExpired(stored)) throw loginError(options, "has an expired login that couldn't be refreshed");
    return stored.headers;
  };
}

async function refresh({ agent, host, read, refresh: args, refreshEnv }: LoginOptions): Promise<void> {
  const file = join(host.home, ".cache/whetstone", `${agent}-login.lock`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = await waitForLock(file);
  try {
    // somebody else may have done it while we waited
    if (isExpired(await read())) await runOnHost(host, args, refreshEnv);
  } finally {
    lock?.release();
  }
}

async function waitForLock(file: string) {
  for (let waited = 0; waited < refreshMs; waited += 200) {
    const lock = holdProcessLock(file, 0);
    if (lock !== undefined) return lock;
    await sleep(200);
  }
  return undefined;
}

/** In an empty folder. The login file shows whether it worked, so its exit code doesn't matter. */
function runOnHost(
  { program, env, home }: CliHost,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "whetstone-login-"));
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...env, HOME: home, ...more }, timeout: refreshMs };
    const child = execFile(program, args, options, () => {
      rmSync(folder, { recursive: true, force: true });
      resolve();
    });
    child.stdin?.end();
  });
}

export function loginError(
  { agent, login }: Pick<LoginOptions, "agent" | "login">,
  what: string,
): InfraError {
  return new InfraError("refused", `${agent} ${what}.`, { status: 401, hint: `Log in: ${login}` });
}

/** A JSON file in the host's home, or undefined if it can't be read. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** A call may take minutes, so a token must be valid for at least one more when it starts. */
const isExpired = (stored: StoredLogin | undefined): boolean =>
  stored?.expiresAt !== undefined && stored.expiresAt < Date.now() + 60_000;

const refreshMs = 90_000;
