import { spawnSync } from "node:child_process";
import { createProgram } from "../program.ts";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { expect, test } from "vitest";
import { type Shell, completionScript, shells } from "./completion-script.ts";
import { describeCommands } from "./describe-commands.ts";

const program = createProgram(capturedIo("/").io, "0");
const commands = describeCommands(program);
const scripts = new Map(shells.map((shell) => [shell, completionScript(shell, commands)]));
const script = (shell: Shell): string => scripts.get(shell) ?? "";

/** What a shell offers after these words, the last of which is being typed. Each asks its own machinery as far as it can. */
const askers: Readonly<Record<string, (words: readonly string[]) => string>> = {
  bash: (words) => `${script("bash")}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
    _whetstone; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p whetstone`,
  zsh: (words) => `compdef() { complete="complete $*"; }
    _describe() { print -l -- "\${(@P)@[-1]%%:*}"; }
    _files() { }
    ${script("zsh")}
    words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'
    _whetstone | grep -- "^$PREFIX"; print -- $complete`,
  fish: (words) => `${script("fish")}
    complete -C '${words.join(" ")}' | string replace -r '\\t.*' '' ; echo complete whetstone`,
};

const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

test.each(Object.keys(askers).filter(has))("%s completes commands, flags and values", (shell) => {
  const offered = (...words: readonly string[]): readonly string[] => {
    const text = askers[shell]?.(["whetstone", ...words]) ?? "";
    const { status, stdout, stderr } = spawnSync(shell, [...(shell === "zsh" ? ["-f"] : []), "-c", text], {
      encoding: "utf8",
      cwd: import.meta.dirname,
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const lines = stdout.trim().split("\n");
    expect(lines.pop()).toMatch(/^complete .*whetstone$/);
    return lines.filter((line) => line !== "").toSorted();
  };
  expect(offered("tra")).toEqual(["train"]);
  expect(offered("runs", "")).toEqual(expect.arrayContaining(["gc", "rm", "show"]));
  expect(offered("runs", "show", "--r")).toEqual(["--rules"]);
  expect(offered("train", "--effort", "")).toEqual(["quick", "standard", "thorough"]);
  expect(offered("train", "--effort", "t")).toEqual(["thorough"]);
  expect(offered("train", "SKILL.md", "--spend-u")).toEqual(["--spend-usd"]);
  expect(offered("completion", "po")).toEqual(["powershell"]);
  // another command's flag is not offered
  expect(offered("demo", "--spend-u")).toEqual([]);
});

test("bash is there to try it", () => {
  expect(has("bash")).toBe(true);
  // the argument of the command is written there, where nothing of this is loaded
  expect(commands.find(({ at }) => at === "/completion")?.words.map(({ name }) => name)).toEqual(shells);
});

test("a flag takes a value in every command or in none, and every command with all of its flags is in every script", () => {
  const kinds = new Map<string, Set<boolean>>();
  for (const { flags } of commands)
    for (const { name, takesValue } of flags) kinds.set(name, (kinds.get(name) ?? new Set()).add(takesValue));
  expect([...kinds].filter(([, values]) => values.size > 1)).toEqual([]);
  for (const shell of shells)
    for (const { at, flags } of commands) {
      expect(script(shell)).toContain(at);
      for (const { name } of flags)
        expect(script(shell)).toContain(shell === "fish" ? `-l ${name.slice(2)}` : name);
    }
});

test("no text of ours ends a quoted word of PowerShell", () => {
  const quoted = script("powershell")
    .replaceAll(/'(?:[^']|'')*'/g, "")
    .replaceAll(/"[^"]*"/g, "");
  expect(quoted).not.toContain("'");
  for (const [open, close] of ["()", "{}", "[]"].map((pair) => pair.split("")))
    expect(quoted.split(open ?? "").length).toBe(quoted.split(close ?? "").length);
});
