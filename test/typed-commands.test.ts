import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../src/apps/cli/program.ts";
import { capturedIo } from "./support/captured-io.ts";

const root = join(import.meta.dirname, "..");
const program = createProgram(capturedIo("/").io, "0");

/** The command that words name, as far as they do. */
function commandOf(words: readonly string[]): Command | undefined {
  let at: Command = program;
  for (const word of words) {
    const next = at.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    at = next;
  }
  return at === program ? undefined : at;
}

/** Commands in code, up to where the shell, a comment or a sentence goes on. */
const typed = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /`{3}sh\n([^]*?)`{3}|`((?:! )?(?:npx )?whetstone [^`]+)`|Bash\(((?:npx )?whetstone [^:)]+)/g,
    ),
  ].flatMap(([, block, inline, allowed]) =>
    (block ?? inline ?? allowed ?? "")
      .split(/\n|&&/)
      .flatMap((line) => /whetstone ([^#|;]+)/.exec(line)?.[1] ?? []),
  );

test("every flag in README, docs and plugins is one of the command that it stands behind", () => {
  const lines = globSync(["README.md", "docs/*.md", "plugins/**/*.md"], { cwd: root }).flatMap((path) =>
    typed(readFileSync(join(root, path), "utf8")).map((line) => ({ path, line })),
  );
  expect(lines.length).toBeGreaterThan(40);
  const wrong = lines.flatMap(({ path, line }) => {
    const words = line.trim().split(/\s+/);
    const known = commandOf(words)?.options.map(({ long }) => long) ?? [];
    return words
      .filter((word) => /^--[a-z]/.test(word))
      .map((word) => word.replace(/[=,.].*$/, ""))
      .filter((flag) => !known.includes(flag) && !["--help", "--version"].includes(flag))
      .map((flag) => `${path}: whetstone ${line.trim()} (${flag})`);
  });
  expect(wrong).toEqual([]);
});

test("every command that the plugin names is there", () => {
  const lines = globSync("plugins/**/*.md", { cwd: root }).flatMap((path) =>
    typed(readFileSync(join(root, path), "utf8")).map((line) => line.trim().split(/\s+/)),
  );
  expect(lines.length).toBeGreaterThan(40);
  const wrong = lines.filter((words) => {
    const named = words.filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith("-"));
    const found = commandOf(named);
    return found === undefined || (found.name() === "sleep" && named.length > 0);
  });
  expect(wrong).toEqual([]);
});
