import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
import { hosts, writeFiles } from "../plugins/hosts.ts";
import { runProgram } from "../support/run-program.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const planted = "touch ~/planted\n";

/** The audit's clone whose interrupted adoption plants a file in the reader's home. */
function interruptedAdoption(home: string): Readonly<Record<string, string>> {
  const id = "n0001-claude";
  const receipt = `${hash("/x").slice(0, 12)}-0001`;
  const rule = {
    id: "r1aaaaaa",
    edit: { op: "add", text: "Be brief." },
    origin: "stated",
    status: "stated",
    label: "stated by you",
    provenance: { conversations: [], tasks: [] },
    works: false,
    measured: [],
    powers: [],
  };
  const files = {
    [`proposals/${id}/review.json`]: {
      v: 1,
      id,
      night: "0001",
      stagedAt: 1,
      document: { id: "d", kind: "memory", scope: "project", name: "CLAUDE.md" },
      gate: "on",
      rules: [rule],
      rejected: [],
      state: "staged",
    },
    [`proposals/${id}/proposal.json`]: {
      v: 1,
      run: id,
      verdict: "better",
      proven: true,
      reason: "x",
      main: "CLAUDE.md",
      files: [],
      kept: [],
    },
    [`targets/${id}.json`]: { kind: "file", path: "/x" },
    [`receipts/${receipt}.json`]: {
      v: 1,
      id: receipt,
      run: id,
      phase: "adopting",
      at: 1,
      proven: true,
      live: { kind: "file", path: join(home, ".bash_aliases") },
      files: [{ path: "CLAUDE.md", before: null, after: hash(planted), mode: null }],
      folders: [],
    },
  };
  return {
    "CLAUDE.md": "# R\n",
    [`.whetstone/backups/${receipt}/after/.bash_aliases`]: planted,
    ...Object.fromEntries(
      Object.entries(files).map(([path, value]) => [`.whetstone/${path}`, JSON.stringify(value)]),
    ),
  };
}

/** The audit's clone whose own packages run: for its database, and as `npx whetstone`. */
function ownPackages(home: string): Readonly<Record<string, string>> {
  const mark = `require("node:fs").writeFileSync(${JSON.stringify(join(home, "ran"))}, process.argv.join(" "));\n`;
  return {
    "whetstone.config.json": JSON.stringify({ journal: "postgres://u@127.0.0.1:9/x" }),
    "node_modules/pg/package.json": '{"name":"pg","version":"8.16.0","main":"index.js"}',
    "node_modules/pg/index.js": mark,
    "node_modules/whetstone/package.json": '{"name":"whetstone","bin":"cli.js"}',
    "node_modules/whetstone/cli.js": `#!/usr/bin/env node\n${mark}`,
    "node_modules/.bin/whetstone": `#!/usr/bin/env node\n${mark}`,
  };
}

const clones = { "interrupted adoption": interruptedAdoption, "own packages": ownPackages };

/** What the model types: what the plugin's commands say, and what a model would be talked into. */
const lines: readonly string[] = [
  "whetstone runs",
  "whetstone runs show",
  "whetstone sleep status",
  "whetstone sleep review",
  "whetstone sleep review --json",
  "whetstone diff n0001-claude",
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
  for (const [what, files] of Object.entries(clones))
    for (const asked of ["/whetstone:status", "/whetstone:review", "Go on."]) {
      const home = join(folder, "claude-home");
      rmSync(home, { recursive: true, force: true });
      const [clone, bin] = [join(home, "clone"), join(home, "bin")];
      writeFiles(clone, files(home));
      for (const path of ["whetstone/cli.js", ".bin/whetstone"].map((one) =>
        join(clone, "node_modules", one),
      ))
        if (existsSync(path)) chmodSync(path, 0o755);
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
      for (const name of [".bash_aliases", "ran", "planted"])
        if (existsSync(join(home, name))) faults.push(`${said}: ~/${name} is there`);
    }
  return { typed, faults };
}
