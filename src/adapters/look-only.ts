import { AsyncLocalStorage } from "node:async_hooks";
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import threads from "node:worker_threads";
import { WhetstoneError } from "../core/errors.ts";

/**
 * A command's permissions. `works`: runs code in its folder (config, environment and scorers). `writes`: runs none of
 * it, but changes files or starts programs. `looks`: does neither, and can't connect to a host nobody named, so it is
 * safe in a folder that was just cloned.
 */
export type CommandKind = "looks" | "writes" | "works";

/** Exceptions for a look. */
interface Look {
  /** The user typed a store's address, or trusted the file that names it. */
  isConnected: boolean;
}

const looks = new AsyncLocalStorage<Look>();

/**
 * Runs the body, and everything it awaits, without the ability to write a file, start a program or thread, or
 * connect. Node's own functions refuse, whichever module or package calls them. (Node's `--permission` can't be
 * turned on in a running process, and a look that starts a process wouldn't be one.)
 */
export function lookOnly<T>(body: () => T): T {
  armOnce();
  return looks.run({ isConnected: false }, body);
}

export const isLooking = (): boolean => looks.getStore() !== undefined;

/** For a store that the user named: from now on this look may connect. */
export function allowConnecting(): void {
  const look = looks.getStore();
  if (look !== undefined) look.isConnected = true;
}

export function refuseInLook(deed: string): void {
  if (!isLooking()) return;
  throw new WhetstoneError("failed", `This command only looks, and it tried to ${deed}.`, {
    hint: "Nothing was changed. Please report it with the command that you typed.",
  });
}

let isArmed = false;

function armOnce(): void {
  if (isArmed) return;
  isArmed = true;
  for (const holder of [fs, fs.promises]) {
    for (const name of Object.keys(holder))
      if (changes.test(name)) guard(holder, name, () => `${name} a file`);
    for (const name of ["open", "openSync"])
      guard(holder, name, (_path, flags) => (opensToWrite(flags) ? "write a file" : undefined));
  }
  for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"])
    guard(childProcess, name, (program) => `start ${String(program)}`);
  // http, tls, fetch and every driver end here
  guard(net.Socket.prototype, "connect", () =>
    looks.getStore()?.isConnected === true ? undefined : "connect to a host",
  );
  guard(net.Server.prototype, "listen", () => "listen");
  const { Worker } = threads;
  threads.Worker = new Proxy(Worker, {
    construct(target, args: ConstructorParameters<typeof Worker>) {
      refuseInLook("start a thread");
      return new target(...args);
    },
  });
  syncBuiltinESMExports();
}

/** Everything that changes a file by its path. Writing to an open file requires opening it for writing first. */
const changes =
  /^(?:writeFile|appendFile|createWriteStream|mkdir|mkdtemp|rename|rm|rmdir|unlink|truncate|symlink|link|chmod|lchmod|chown|lchown|utimes|lutimes|cp|copyFile)(?:Sync)?$/;

function opensToWrite(flags: unknown): boolean {
  if (typeof flags === "string") return !/^rs?$/.test(flags);
  const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = fs.constants;
  return typeof flags === "number" && (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0;
}

/** Replaces a Node function with one that refuses in a look. `deedOf` names the call's effect; undefined: none. */
function guard(holder: object, name: string, deedOf: (...args: readonly unknown[]) => string | undefined) {
  const own: unknown = Reflect.get(holder, name);
  if (typeof own !== "function") return;
  const guarded = new Proxy(own, {
    apply(target, self, args: readonly unknown[]) {
      const deed = isLooking() ? deedOf(...args) : undefined;
      if (deed !== undefined) refuseInLook(deed);
      return Reflect.apply(target, self, args);
    },
  });
  Reflect.set(holder, name, guarded);
}
