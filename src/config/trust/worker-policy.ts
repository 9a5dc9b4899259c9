import { readFileSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { SandboxChoice } from "../../adapters/sandboxes/choose-sandbox.ts";
import { quoteWord } from "../../adapters/shell-words.ts";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";

/** Everything a worker allows beyond vendors' own servers with its own keys. Each is named when the worker starts. */
export type AskedPowerKind = "host" | "key" | "module" | "command" | "mount";

export interface AskedPower {
  readonly kind: AskedPowerKind;
  /** Hosts with their full address. */
  readonly value: string;
}

/** An upper limit: nobody who sends units to a worker gets more than this, whatever a run's settings say. */
export interface WorkerPolicy {
  /** `auto`: any sandbox a run names; a name: that sandbox; `none`: also no sandbox. */
  readonly sandbox: SandboxChoice;
  /** Files whose code may run in the worker itself; absolute, with links resolved. */
  readonly modules: readonly string[];
  /** The reason it isn't allowed; undefined if it is. */
  refusalOf(power: AskedPower): WhetstoneError | undefined;
}

export interface PolicyOptions {
  /** `host=llm.internal:8080`, `key=OUR_KEY`, `module=./env.ts`, `command=our-agent --quiet`, `mount=/opt/data`. */
  readonly allow?: readonly string[];
  /** @default "auto" */
  readonly sandbox?: SandboxChoice;
}

/** Modules are hashed now, because somebody else could change them later. */
export function readWorkerPolicy({ allow = [], sandbox = "auto" }: PolicyOptions, cwd: string): WorkerPolicy {
  const named: Readonly<Record<AskedPowerKind, Map<string, string>>> = {
    host: new Map(),
    key: new Map(),
    module: new Map(),
    command: new Map(),
    mount: new Map(),
  };
  for (const text of allow) {
    const at = text.indexOf("=");
    const [kind, value] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 0 || !isKind(kind, named) || value === "") throw misnamed(text);
    if (kind === "module") named.module.set(...hashed(resolve(cwd, value), text));
    else named[kind].set(kind === "mount" ? resolve(cwd, value) : value, "");
  }
  const isAllowed = ({ kind, value }: AskedPower): boolean => {
    if (kind === "host") {
      const { host, hostname } = new URL(value);
      return named.host.has(host) || named.host.has(hostname);
    }
    if (kind === "mount")
      return [...named.mount.keys()].some((folder) =>
        `${resolve(value)}${sep}`.startsWith(`${folder}${sep}`),
      );
    return named[kind].has(kind === "module" ? realPath(value) : value);
  };
  return {
    sandbox,
    modules: [...named.module.keys()],
    refusalOf(power) {
      if (!isAllowed(power)) return notAllowed(power);
      if (power.kind !== "module") return undefined;
      const path = realPath(power.value);
      return hashOf(path) === named.module.get(path) ? undefined : changed(path);
    },
  };
}

const isKind = (word: string, named: object): word is AskedPowerKind => Object.hasOwn(named, word);

function hashed(path: string, text: string): readonly [string, string] {
  const hash = hashOf(path);
  if (hash !== undefined) return [realPath(path), hash];
  throw new WhetstoneError("not-found", `--allow ${text} names ${path}, which doesn't exist.`, {
    hint: "Write it as --allow module=./file.ts, relative to the folder where you start the worker.",
  });
}

function hashOf(path: string): string | undefined {
  try {
    return hashText(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const misnamed = (text: string): WhetstoneError =>
  new WhetstoneError("usage", `--allow ${text} doesn't name something that can be allowed.`, {
    hint: "Write host=name:port, key=VARIABLE, module=./file.ts, command=program or mount=/folder.",
  });

function notAllowed({ kind, value }: AskedPower): WhetstoneError {
  const shown = kind === "host" ? new URL(value).host : value;
  return new WhetstoneError(
    "not-allowed",
    `${sentences[kind](shown)}, which this worker wasn't started to allow.`,
    {
      hint: `If you want it, start the worker with --allow ${quoteWord(`${kind}=${shown}`)}.`,
    },
  );
}

const sentences: Readonly<Record<AskedPowerKind, (value: string) => string>> = {
  host: (value) => `The run sends its calls to ${value}`,
  key: (value) => `The run uses the key or login ${value}`,
  module: (value) => `The run needs the code of ${value}`,
  command: (value) => `The run starts the program ${value}`,
  mount: (value) => `The run lets its agent read ${value}`,
};

const changed = (path: string): WhetstoneError =>
  new WhetstoneError("not-allowed", `${path} has changed since this worker was started.`, {
    hint: "Review what changed, then restart the worker.",
  });
