import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface TerminalPlan {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  /** All that programs in it get. */
  readonly env: Readonly<Record<string, string>>;
  /** Settings of tmux, as a file. @default none */
  readonly config?: string;
}

/** A terminal with a shell in it, made by tmux: real size, real keys, real screen. */
export interface Terminal extends AsyncDisposable {
  /** Types a line and presses Enter. */
  type(line: string): Promise<void>;
  /** Presses a key by its tmux name, such as `C-c`. */
  press(key: string): Promise<void>;
  /** What is to be seen now, line by line. */
  screen(): Promise<readonly string[]>;
  isCursorVisible(): Promise<boolean>;
  resize(columns: number, rows: number): Promise<void>;
  /** Any other command of tmux about this pane; gives what it prints. */
  tmux(command: string, ...args: readonly string[]): Promise<string>;
  /** Every byte that was written to it so far. */
  raw(): string;
}

const run = promisify(execFile);
/** What the server is started with: as in a person's terminal, no agent has left its mark. */
const ofPerson = Object.fromEntries(
  ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TMUX_TMPDIR"].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
);
let opened = 0;

export async function openTerminal({
  columns,
  rows,
  cwd,
  env,
  config = "/dev/null",
}: TerminalPlan): Promise<Terminal> {
  opened += 1;
  // a server of its own: nothing of the user's tmux is read or touched
  const socket = `whetstone-proof-${process.pid}-${opened}`;
  const log = join(cwd, `terminal-${opened}.raw`);
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await run("tmux", ["-L", socket, "-f", config, ...args], { maxBuffer: 2 ** 26, env: ofPerson })).stdout;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const size = ["-x", String(columns), "-y", String(rows)];
  await tmux(
    "new-session",
    "-d",
    "-s",
    "proof",
    ...size,
    "-c",
    cwd,
    "env",
    "-i",
    ...variables,
    "PS1=$ ",
    "sh",
  );
  await tmux("pipe-pane", "-t", "proof", "-o", `exec cat >> '${log}'`);
  return {
    async type(line) {
      await tmux("send-keys", "-t", "proof", "-l", line);
      await tmux("send-keys", "-t", "proof", "Enter");
    },
    async press(key) {
      await tmux("send-keys", "-t", "proof", key);
    },
    screen: async () => (await tmux("capture-pane", "-p", "-t", "proof")).split("\n").slice(0, -1),
    isCursorVisible: async () =>
      (await tmux("display-message", "-p", "-t", "proof", "#{cursor_flag}")).trim() === "1",
    async resize(width, height) {
      await tmux("resize-window", "-t", "proof", "-x", String(width), "-y", String(height));
    },
    tmux: (command, ...args) => tmux(command, "-t", "proof", ...args),
    raw: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    async [Symbol.asyncDispose]() {
      await tmux("kill-server").catch(() => {});
    },
  };
}
