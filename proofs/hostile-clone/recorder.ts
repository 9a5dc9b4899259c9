import { spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

/** What a command did, as the kernel saw it. */
export interface Deeds {
  /** Real paths that it changed or opened for writing. */
  readonly written: ReadonlySet<string>;
  /** Programs that it started. */
  readonly started: ReadonlySet<string>;
  /** Addresses that it tried to reach. */
  readonly reached: ReadonlySet<string>;
}

export interface Recording extends Deeds {
  readonly printed: string;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly megabytes: number;
  /** It had to be stopped. */
  readonly isEndless: boolean;
}

export interface RecordOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A file for the recorder, outside of everything that is looked at. */
  readonly trace: string;
  readonly mostSeconds: number;
  readonly input?: string;
  /** A server: as soon as this is printed its input ends, or it is interrupted if it has none. */
  readonly until?: string;
  /** Its input and output are a terminal's. @default false */
  readonly inTerminal?: boolean;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs a program, and records files, processes and sockets of it and of all that it starts. */
export async function record(
  program: string,
  args: readonly string[],
  { cwd, env, trace, mostSeconds, input, until, inTerminal = false }: RecordOptions,
): Promise<Recording> {
  const used = `${trace}.used`;
  const began = performance.now();
  let [printed, isEndless] = ["", false];
  await new Promise<void>((done, fail) => {
    const recorder = `-f -y --seccomp-bpf -s 256 -o ${trace} -e trace=file,process,network`.split(" ");
    const meter = ["/usr/bin/time", "-q", "-o", used, "-f", "%U %S %M"];
    const words = ["strace", ...recorder, ...meter, program, ...args];
    const [shell = "", ...rest] = inTerminal
      ? ["script", "-qec", words.map(quoted).join(" "), "/dev/null"]
      : words;
    const child = spawn(shell, rest, {
      cwd,
      // the kernel would do what is asked through a ring without a call that can be recorded
      env: { ...env, UV_USE_IO_URING: "0" },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const signal = (name: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name);
      } catch {
        // it has ended
      }
    };
    const late = setTimeout(() => {
      isEndless = true;
      signal("SIGKILL");
    }, mostSeconds * 1000);
    const hear = (chunk: Buffer): void => {
      if (printed.length < 50_000_000) printed += chunk.toString("latin1");
      if (until === undefined || !printed.includes(until)) return;
      if (input === undefined) signal("SIGINT");
      else child.stdin.end();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.stdin.on("error", () => {});
    if (input !== undefined) child.stdin.write(input);
    // a server that is still to answer would end with its input
    if (input === undefined || until === undefined) child.stdin.end();
    child.on("error", fail);
    child.on("close", () => {
      clearTimeout(late);
      done();
    });
  });
  const wallSeconds = (performance.now() - began) / 1000;
  const [user = 0, system = 0, kilobytes = 0] = readMeter(used);
  return {
    ...readTrace(readFileSync(trace, "latin1"), cwd),
    printed,
    cpuSeconds: user + system,
    wallSeconds,
    megabytes: kilobytes / 1024,
    isEndless,
  };
}

function readMeter(path: string): readonly number[] {
  try {
    return readFileSync(path, "utf8").trim().split("\n").at(-1)?.split(" ").map(Number) ?? [];
  } catch {
    return [];
  }
}

const changes =
  /^(?:mkdir|rmdir|unlink|rename|link|symlink|chmod|fchmodat|chown|lchown|fchownat|truncate|utime|utimes|utimensat|futimesat|mknod|setxattr|lsetxattr|removexattr|mount|umount2?)(?:at2?)?$/;

/** Reads what strace wrote. What failed changed nothing; what tried to connect has tried. */
export function readTrace(trace: string, cwd: string): Deeds {
  const written = new Set<string>();
  const started = new Set<string>();
  const reached = new Set<string>();
  const folders = new Map<string, string>();
  const halves = new Map<string, string>();
  for (const line of trace.split("\n")) {
    // most of it, and it changes nothing
    if (/^\d+\s+(?:newfstatat|statx|stat|lstat|readlink|access)\([^\n]*\) = /.test(line)) continue;
    const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    if (rest.endsWith("<unfinished ...>")) {
      halves.set(pid, rest.slice(0, -"<unfinished ...>".length));
      continue;
    }
    const call = resumed === null ? rest : `${halves.get(pid) ?? ""}${resumed[1] ?? ""}`;
    const [, name = "", given = "", value = ""] = /^(\w+)\((.*)\)\s+= (-?\d+|\?)(?:<|\s|$)/.exec(call) ?? [];
    const folder = folders.get(pid) ?? cwd;
    if (name === "connect" || name === "sendto" || name === "sendmsg") {
      const address = addressOf(given);
      if (address !== undefined) reached.add(address);
    }
    if (value === "" || value.startsWith("-") || (value === "?" && name !== "execve")) continue;
    const paths = pathsOf(given, folder);
    if (name === "chdir") folders.set(pid, paths[0] ?? folder);
    else if (/^(?:clone3?|v?fork)$/.test(name)) folders.set(value, folder);
    else if (name === "execve") started.add(realOf(paths[0] ?? "", true));
    else if (/^(?:open|openat|openat2|creat)$/.test(name)) {
      const flags = given.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
      if (name !== "creat" && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(flags)) continue;
      const opened = / = \d+<(.*)>$/.exec(call)?.[1];
      written.add(unescape(opened ?? "").replace(/ \(deleted\)$/, ""));
    } else if (changes.test(name))
      for (const path of name.startsWith("symlink") ? paths.slice(-1) : paths)
        written.add(realOf(path, /^(?:chmod|chown|truncate|utime|fchmodat|setxattr)/.test(name)));
  }
  return { written, started, reached };
}

/** Every path of a call, against the folder that it names before it, or the one the process is in. */
function pathsOf(given: string, folder: string): readonly string[] {
  return [...given.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)].map(
    ([, base, path = ""]) => resolve(base === undefined ? folder : unescape(base), unescape(path)),
  );
}

const unescape = (text: string): string =>
  text.replaceAll(/\\(x[\da-f]{2}|[0-7]{1,3}|.)/g, (_, code: string) => {
    const named = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" }[code];
    if (named !== undefined) return named;
    if (code.startsWith("x")) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /^\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : code;
  });

/** Where a path really is: its links followed, the last one only if the call follows it. */
function realOf(path: string, follow: boolean): string {
  const rest: string[] = follow ? [] : [basename(path)];
  for (let at = follow ? path : dirname(path); ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...rest);
    } catch {
      if (dirname(at) === at) return path;
      rest.unshift(basename(at));
    }
  }
}

/** Sockets of the system's own lookups (nscd) don't leave the machine. */
function addressOf(given: string): string | undefined {
  const [, host = "", port = ""] =
    /sin6?_port=htons\((\d+)\).*?(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)/.exec(given) ?? [];
  if (host !== "") return `${port}:${host}`;
  const [, path = ""] = /sa_family=AF_UNIX, sun_path=@?"([^"]*)"/.exec(given) ?? [];
  return path === "" || path.includes("/nscd/") ? undefined : path;
}

export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder + sep);
