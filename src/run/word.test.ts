import { expect, test } from "vitest";
import { agentOf, markIn } from "../adapters/agents/agent-marks.ts";
import { type ProcessFacts, readAncestors } from "../adapters/process-tree.ts";
import { doubtOf } from "./word.ts";

const nobody = { isReachable: () => false };
const somebody = { isReachable: () => true };

/** Programs from this process up, `|` where the session of the terminal begins; the last is process 1. */
function chainOf(words: string, facts: Partial<ProcessFacts> = {}): readonly ProcessFacts[] {
  const [inside = "", outside = ""] = words.split(" | ");
  const names = [...inside.split(" "), ...outside.split(" ")].filter((name) => name !== "");
  const session = 100 - inside.split(" ").length + 1;
  return names.map((name, at) => ({
    pid: at === names.length - 1 ? 1 : 100 - at,
    parent: at === names.length - 1 ? 0 : at === names.length - 2 ? 1 : 99 - at,
    name,
    argv: [name],
    terminal: "34816",
    session,
    user: 1000,
    variables: [],
    ...(at === 0 ? facts : {}),
  }));
}

test.each([
  ["ssh", "node bash | sshd sshd systemd"],
  ["a desktop's terminal", "node npm zsh | gnome-terminal- systemd systemd"],
  ["tmux", "node bash | tmux systemd"],
  ["the console", "node bash | login systemd"],
  ["an editor's terminal", "node bash | code code gnome-shell systemd systemd"],
  ["a container with its own init", "node bash | tini"],
])("%s is a person's", (_, words) => {
  expect(doubtOf(chainOf(words), somebody)).toBeUndefined();
});

test("a shell that is the first process of a container is a person's", () => {
  const [self, shell] = chainOf("node bash | sh");
  if (self === undefined || shell === undefined) throw new Error("no chain");
  expect(doubtOf([self, { ...shell, parent: 0 }], nobody)).toBeUndefined();
});

test.each([
  [
    "an agent's shell",
    "node bash | claude zsh tmux systemd",
    somebody,
    /^Claude Code started this \(process 98\)/,
  ],
  ["systemd-run --pty", "node sh | systemd systemd", somebody, /^systemd started this, and not a terminal/],
  ["setsid script", "node sh | script systemd", nobody, /^nobody can be sitting at this terminal \(script/],
])("%s isn't", (_, words, reach, said) => {
  expect(doubtOf(chainOf(words), reach)).toMatch(said);
});

test("without a terminal, without a parent or without anything to read, nobody knows", () => {
  const chain = chainOf("node bash | sshd systemd");
  expect(doubtOf(chainOf("node bash | sshd systemd", { terminal: "" }), somebody)).toMatch(/no terminal/);
  expect(doubtOf(chainOf("node bash | sshd systemd", { session: 7 }), somebody)).toMatch(/has ended/);
  expect(doubtOf(chain.slice(0, 2), somebody)).toMatch(/can't be read/);
  expect(doubtOf([], somebody)).toMatch(/can't be read/);
});

test("an agent is found by its program, its package and the mark of any process above", () => {
  expect(agentOf("MainThread", ["node", "/usr/bin/gemini", "-p", "hi"])).toBe("Gemini CLI");
  expect(agentOf("node", ["/n/node", "--expose-gc", "/x/node_modules/@qwen-code/qwen-code/cli.js"])).toBe(
    "Qwen Code",
  );
  expect(agentOf("claude", ["claude"])).toBe("Claude Code");
  expect(agentOf("claude.exe", ["C:\\Users\\me\\claude.exe"])).toBe("Claude Code");
  for (const argv of [["vim", "claude"], ["node", "app.js", "claude"], ["bash"], ["cursor"], ["code"], []])
    expect(agentOf(argv[0] ?? "", argv)).toBeUndefined();
  expect(markIn(["PATH", "CODEX_CI"])).toEqual({ title: "Codex", variable: "CODEX_CI" });
  // of persons: where an agent keeps its files, and an editor's terminal
  expect(markIn(["CODEX_HOME", "CLAUDE_CONFIG_DIR", "CURSOR_TRACE_ID", "TERM_PROGRAM", ""])).toBeUndefined();
  const [self, ...above] = chainOf("node bash | tmux systemd");
  const marked = above.map((one) => (one.name === "tmux" ? { ...one, variables: ["CLAUDECODE"] } : one));
  expect(doubtOf([...(self === undefined ? [] : [self]), ...marked], somebody)).toMatch(/^Claude Code/);
});

test("the processes above this one are read, up to the first", async () => {
  const chain = await readAncestors();
  expect(chain[0]).toMatchObject({ pid: process.pid, parent: process.ppid });
  expect(chain.at(-1)?.parent).toBe(0);
});
