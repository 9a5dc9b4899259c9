import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import type { Sandbox, SandboxJob } from "../../core/ports/sandbox.ts";
import { type HostPlace, runOnHost } from "./run-on-host.ts";

/**
 * macOS: sandbox-exec with a profile that denies by default. Files keep their host paths. It can read the system and
 * the job's files, and write to the workspace, home and a temporary folder.
 */
export function seatbeltSandbox({
  program = "/usr/bin/sandbox-exec",
}: {
  readonly program?: string;
} = {}): Sandbox {
  return {
    name: "seatbelt",
    run: async (job, signal) => {
      const node = await realpath(process.execPath);
      return await runOnHost(job, signal, (argv, place) => [
        program,
        "-p",
        seatbeltProfile(place, [...Object.keys({ ...job.readOnly, ...job.within }), node]),
        ...limitShell(job),
        ...argv,
      ]);
    },
  };
}

/** The profile's text. Later rules win. */
export function seatbeltProfile(place: HostPlace, readable: readonly string[]): string {
  const written = [place.workspace, place.home, place.temporary].flatMap(bothNames);
  const read = [...systemFolders, ...readable.flatMap(bothNames)];
  // a path can be opened only if the folders above it can be looked up
  const above = new Set([...written, ...readable.flatMap(bothNames)].flatMap(parents));
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.logger"))',
    `(allow file-read* (literal "/") ${read.map((path) => `(subpath ${quote(path)})`).join(" ")})`,
    `(allow file-read-metadata ${[...above].map((path) => `(literal ${quote(path)})`).join(" ")})`,
    `(allow file-read* file-write* ${written.map((path) => `(subpath ${quote(path)})`).join(" ")})`,
    '(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    '(allow file-read* (literal "/dev/random") (literal "/dev/urandom") (subpath "/dev/fd"))',
    ...(place.port === undefined ? [] : [`(allow network-outbound (remote tcp "localhost:${place.port}"))`]),
    "",
  ].join("\n");
}

const systemFolders: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library/Apple",
  "/Library/Developer/CommandLineTools",
  "/opt/homebrew",
  "/private/etc/ssl",
  "/private/var/db/timezone",
  "/private/var/select",
];

/** The profile is matched against the path behind macOS's own links. */
const bothNames = (path: string): readonly string[] =>
  /^\/(?:tmp|var|etc)\//.test(path) ? [path, `/private${path}`] : [path];

function parents(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== "/"; at = dirname(at)) found.push(at);
  return found;
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** No file above the disk limit, and no core dumps. macOS doesn't have a memory limit that works. */
const limitShell = ({ limits }: SandboxJob): readonly string[] => [
  "/bin/sh",
  "-c",
  `ulimit -c 0; ulimit -f ${(limits.diskMb + 1) * 2048}; exec "$@"`,
  "sh",
];
