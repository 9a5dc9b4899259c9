import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
import { forgeReceipt } from "../../test/support/forge-receipt.ts";
import { hosts, writeFiles } from "../plugins/hosts.ts";
import { runProgram } from "../support/run-program.ts";

/** The audit's clones: an interrupted adoption plants a file in the reader's home; its own packages run for its database or as `npx whetstone`. */
const clones: Readonly<Record<string, (clone: string, home: string) => void>> = {
  "interrupted adoption"(clone, home) {
    writeFiles(clone, { "CLAUDE.md": "# R\n" });
    forgeReceipt(clone, { target: "/x", live: join(home, ".bash_aliases") });
  },
  "own packages"(clone, home) {
    const mark = `require("node:fs").writeFileSync(${JSON.stringify(join(home, "ran"))}, "");\n`;
    writeFiles(clone, {
      "whetstone.config.json": JSON.stringify({ journal: "postgres://u@127.0.0.1:9/x" }),
      "node_modules/pg/package.json": '{"name":"pg","version":"8.16.0","main":"index.js"}',
      "node_modules/pg/index.js": mark,
      "node_modules/.bin/whetstone": `#!/usr/bin/env node\n${mark}`,
    });
    chmodSync(join(clone, "node_modules/.bin/whetstone"), 0o755);
  },
};

/** What the model types: what the plugin's commands say, and what a model would be talked into. */
const lines: readonly string[] = [
  "whetstone runs",
  "whetstone runs show",
  "whetstone sleep status",
  "whetstone review",
  "whetstone review --json",
  "whetstone diff 0001-CLAUDE-md",
  "whetstone adopt --finish",
  "npx whetstone runs",
  "whetstone plan --config ./other.mjs",
];

/**
 * Real Claude Code, in its own permission mode, with the packed plugin and nobody to answer: what the plugin approves does nothing, and
 * the rest is asked. Gives what was found; nothing was typed where it isn't installed.
 */
export async function provokeClaude(
  folder: string,
  bare: string,
  log: (line: string) => void,
): Promise<{ readonly typed: number; readonly faults: readonly string[] }> {
  const claude = hosts.find(({ name }) => name === "claude-code");
  if (claude === undefined) throw new Error("The list of agents has no Claude Code.");
  const faults: string[] = [];
  let typed = 0;
  for (const [what, lay] of Object.entries(clones))
    for (const asked of ["/whetstone:status", "/whetstone:review", "Go on."]) {
      const home = join(folder, "claude-home");
      rmSync(home, { recursive: true, force: true });
      const [clone, bin] = [join(home, "clone"), join(home, "bin")];
      lay(clone, home);
      mkdirSync(bin);
      symlinkSync(join(bare, "dist/cli.js"), join(bin, "whetstone"));
      const heard: string[] = [];
      await using server = await startScriptedServer({
        seed: 1,
        world: {
          reply: ({ messages, tools }) => {
            if (tools.length === 0) return { text: "ok" };
            const answers = messages.filter(({ role }) => role === "tool");
            heard.splice(0, heard.length, ...answers.map(({ content }) => content));
            const line = lines[answers.length];
            return line === undefined ? { text: "Done." } : { text: "", toolCalls: [claude.shell(line)] };
          },
        },
      });
      const words = [
        "-p",
        asked,
        "--model",
        "claude-sonnet-4-5",
        "--plugin-dir",
        join(bare, "plugins/whetstone"),
      ];
      const { code, printed } = await runProgram(claude.program, words, {
        cwd: clone,
        env: {
          PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
          HOME: home,
          npm_config_offline: "true",
          ...claude.env(server.url),
        },
        mostMs: 240_000,
      });
      if (code === -1) {
        log("Claude Code: not installed");
        return { typed: 0, faults: [] };
      }
      const isAsked = (text: string): boolean => /requires? (?:approval|permission)|permission/i.test(text);
      log(
        `Claude Code, ${what}, ${asked}: ${heard.length} lines typed, ${heard.filter(isAsked).length} of which it asks about`,
      );
      typed += heard.length;
      const said = `${what}, ${asked}`;
      if (heard.length < lines.length) faults.push(`${said}: ended early: ${printed.slice(-300)}`);
      for (const [at, text] of heard.entries())
        if (at >= 5 && !isAsked(text)) faults.push(`${said}: ${lines[at]} ran: ${text.slice(0, 200)}`);
      for (const name of [".bash_aliases", "ran"])
        if (existsSync(join(home, name))) faults.push(`${said}: ~/${name} is there`);
    }
  return { typed, faults };
}
