import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Interface } from "node:readline";
import { quoteWord } from "../../adapters/shell-words.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Prompter } from "../../show/io.ts";

/** Loads Node's modules for it only when somebody is asked, because every command opens a prompt but few use it. */
export function openPrompt(
  signal: AbortSignal,
  env: Readonly<Record<string, string | undefined>>,
  write: (text: string) => void,
): Prompter {
  const typed: string[] = [];
  let reader: Interface | undefined;
  let isOver = false;
  let answer: ((line: string | undefined) => void) | undefined;
  const give = (line: string | undefined) => {
    const waiting = answer;
    answer = undefined;
    if (waiting !== undefined) waiting(line);
    else if (line !== undefined) typed.push(line);
  };
  const end = () => {
    isOver = true;
    give(undefined);
  };
  signal.addEventListener("abort", end);
  return {
    ask(question) {
      // the terminal's own line editing is enough, and an editor then gets the terminal unchanged
      reader ??= process
        .getBuiltinModule("node:readline")
        .createInterface({ input: process.stdin, terminal: false })
        .on("line", give)
        .on("close", end);
      write(question);
      const [line] = typed.splice(0, 1);
      if (line !== undefined || isOver) return Promise.resolve(line);
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    edit: (text) => editText(text, env["VISUAL"] || env["EDITOR"] || usualEditor),
  };
}

const usualEditor = process.platform === "win32" ? "notepad" : "vi";

/** For the system's shell, because a setting such as `code --wait` is a command line. The file is one word of it. */
export const editorLine = (editor: string, file: string, platform: NodeJS.Platform): string =>
  `${editor} ${platform === "win32" ? `"${file}"` : quoteWord(file)}`;

function editText(text: string, editor: string): string {
  const folder = mkdtempSync(join(tmpdir(), "whetstone-edit-"));
  const file = join(folder, "rule.md");
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    const { status } = spawnSync(editorLine(editor, file, process.platform), {
      shell: true,
      stdio: "inherit",
    });
    if (status === 0) return readFileSync(file, "utf8");
    throw new WhetstoneError("failed", `The editor ${editor} exited with ${status ?? "a signal"}.`, {
      hint: "Set EDITOR to your editor's command.",
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
