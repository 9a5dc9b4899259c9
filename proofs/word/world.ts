import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type StagedNights, stageNights } from "../../test/support/staged-nights.ts";
import rows from "./spellings.json" with { type: "json" };

/** The audit's ways to write a command, as scripts of a shell. */
export const spellings: readonly string[] = rows.map((row) =>
  typeof row === "string" ? row : `${row.before}${row.again.repeat(row.times)}${row.after}`,
);

/** A project with something to adopt and to consent to, and a `whetstone` that takes `adopt` for this proposal. */
export interface World {
  readonly home: string;
  readonly project: string;
  readonly staged: StagedNights;
  /** All that a person's shell has: no agent left its mark. */
  readonly env: Readonly<Record<string, string>>;
}

const main = join(import.meta.dirname, "../../src/apps/cli/main.ts");

export async function makeWorld(home: string): Promise<World> {
  const project = join(home, "project");
  mkdirSync(join(project, "node_modules/whetstone/dist"), { recursive: true });
  mkdirSync(join(home, "bin"), { recursive: true });
  const staged = await stageNights(project, join(project, ".whetstone"));
  const { id } = staged.proposal;
  const powers = staged.proposal.rules.flatMap(({ powers: found }) => found.map((power) => power.id));
  const words = [
    id,
    "--journal",
    ".whetstone",
    "--unproven",
    ...powers.flatMap((power) => ["--acknowledge", power]),
  ];
  const cli = join(project, "node_modules/whetstone/dist/cli.js");
  writeFileSync(join(project, "node_modules/whetstone/package.json"), '{"name":"whetstone","type":"module"}');
  writeFileSync(join(project, "whetstone.config.json"), '{"target":"ollama/one","optimizer":"ollama/two"}\n');
  writeFileSync(join(project, "tests.jsonl"), "{}\n");
  // whatever a spelling names after `adopt`, this proposal is meant
  writeFileSync(
    cli,
    `const [verb, second] = process.argv.slice(2);
const at = verb === "adopt" ? 3 : verb === "sleep" && second === "adopt" ? 4 : 0;
if (at > 0) process.argv.splice(at, 99, ...${JSON.stringify(words)});
if (verb === "undo" || second === "undo") process.argv.push("--journal", ".whetstone");
await import(${JSON.stringify(main)});\n`,
  );
  writeFileSync(join(home, "bin/whetstone"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(home, "bin/whetstone"), 0o755);
  // Codex's shell is a login shell
  writeFileSync(join(home, ".bash_profile"), `PATH=${join(home, "bin")}:$PATH\n`);
  const env = {
    PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "xterm",
    NO_COLOR: "1",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(home, "compiled"),
    // nothing is fetched
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_offline: "true",
    TMUX_TMPDIR: home,
  };
  return { home, project, staged, env };
}

/** The same project again, for one way that may destroy it. */
export function copyOf({ home, project }: World, name: string): string {
  const path = join(home, "copies", name);
  cpSync(project, path, { recursive: true, verbatimSymlinks: true });
  return path;
}

/** Rules written into a live file, and consents in any state folder below the home. */
export function findBreaches(world: World, project: string): readonly string[] {
  const live = join(project, "CLAUDE.md");
  const isAdopted = existsSync(live) && readFileSync(live, "utf8").includes("kebab-case");
  return [...(isAdopted ? ["adopted"] : []), ...(isTrusted(world) ? ["consented"] : [])];
}

export const isTrusted = ({ home }: World): boolean =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json") && entry.parentPath.includes("state"))
    .some((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").includes('"trust":'));

/** Runs a script in a shell that looks like an agent's: by the mark that it sets, or by the name of its process alone. */
export function underAgent(
  script: string,
  how: "mark" | "tree",
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const file = join(cwd, "spelled.sh");
  writeFileSync(file, script);
  const [argv0, mark] = how === "mark" ? ["bash", { CLAUDECODE: "1" }] : ["claude", {}];
  return new Promise((resolve) => {
    const child = spawn("bash", [file], {
      argv0,
      cwd,
      env: { ...env, ...mark },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 30_000,
      killSignal: "SIGKILL",
      detached: true,
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
      });
    child.on("error", ({ message }) => resolve(message));
    child.on("exit", () => setTimeout(resolve, 50, printed));
  });
}
