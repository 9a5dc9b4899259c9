import { execFile } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { promisify } from "node:util";

/** The system's facts about a running process. */
export interface ProcessFacts {
  readonly pid: number;
  /** 0 if it has no parent. */
  readonly parent: number;
  /** Linux cuts it off after 15 characters. */
  readonly name: string;
  readonly argv: readonly string[];
  /** Its controlling terminal; "" without one. */
  readonly terminal: string;
  /** The process that started its session; only Linux reports it. */
  readonly session?: number;
  readonly user?: number;
  /** Names of the variables it was started with, as far as we can read them. */
  readonly variables: readonly string[];
}

/** This process, then its parents. The last one has no parent, or one that can't be read. */
export async function readAncestors(pid = process.pid): Promise<readonly ProcessFacts[]> {
  const read = process.platform === "linux" ? readFromProc : await readTable();
  const chain: ProcessFacts[] = [];
  for (let at = pid; at > 0 && chain.every((one) => one.pid !== at); ) {
    const facts = read(at);
    if (facts === undefined) break;
    chain.push(facts);
    at = facts.parent;
  }
  return chain;
}

type ReadProcess = (pid: number) => ProcessFacts | undefined;

const readFromProc: ReadProcess = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // a name may contain anything, even parentheses and spaces
    const end = stat.lastIndexOf(")");
    const [, parent, , session, terminal] = stat
      .slice(end + 2)
      .split(" ")
      .map(Number);
    return {
      pid,
      parent: parent ?? 0,
      name: stat.slice(stat.indexOf("(") + 1, end),
      argv: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1),
      terminal: terminal === 0 ? "" : String(terminal),
      session: session ?? 0,
      user: statSync(`/proc/${pid}`).uid,
      variables: readVariables(pid),
    };
  } catch {
    return undefined;
  }
};

function readVariables(pid: number): readonly string[] {
  try {
    const pairs = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return pairs.filter((pair) => !pair.endsWith("=")).map((pair) => pair.slice(0, pair.indexOf("=")));
  } catch {
    return [];
  }
}

/** System programs by their full paths, because an agent can put others on PATH. */
async function readTable(): Promise<ReadProcess> {
  const isWindows = process.platform === "win32";
  const { stdout } = await promisify(execFile)(
    isWindows ? "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe" : "/bin/ps",
    isWindows
      ? [
          "-NoProfile",
          "-Command",
          'Get-CimInstance Win32_Process | % { "$($_.ProcessId) $($_.ParentProcessId) console $($_.Name) $($_.CommandLine)" }',
        ]
      : ["-axww", "-o", "pid=,ppid=,tty=,args="],
    { maxBuffer: 2 ** 26, timeout: 20_000 },
  ).catch(() => ({ stdout: "" }));
  const rows = stdout.split("\n").flatMap((line) => {
    const [, pid, parent, terminal = "", words = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const argv = words.trim().split(/\s+/);
    return pid === undefined
      ? []
      : [
          {
            pid: Number(pid),
            parent: Number(parent),
            // a login shell is called "-zsh"
            name:
              argv[0]
                ?.split(/[\\/]/)
                .at(-1)
                ?.replace(/^-|\.exe$/gi, "") ?? "",
            argv: isWindows ? argv.slice(1).map((word) => word.replaceAll('"', "")) : argv,
            terminal: /^\?+$/.test(terminal) ? "" : terminal,
            variables: [],
          },
        ];
  });
  const table = new Map(rows.map((row) => [row.pid, row]));
  return (pid) => table.get(pid);
}

/** Whether anything but its own three streams can reach a process. Only Linux reports it. */
export function isReachable(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (fd) => Number(fd) > 2 && readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:"),
    );
  } catch {
    return true;
  }
}
