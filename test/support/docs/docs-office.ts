import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../../../src/apps/cli/program.ts";
import type { ScriptedServer } from "../../../src/testing/index.ts";
import { startScriptedServer } from "../../../src/testing/index.ts";
import { capturedIo } from "../captured-io.ts";
import { learnableWorld } from "../learnable-world.ts";
import { tempDir } from "../temp-dir.ts";

const root = join(import.meta.dirname, "../../..");
const world = learnableWorld(3);

/** Plays every model: what is no contract of an optimizer is a task. */
export const serveDocs = (): Promise<ScriptedServer> =>
  startScriptedServer({
    seed: 3,
    record: false,
    world: {
      reply: (request) => {
        const studied = world.reply({ ...request, model: "optimizer" });
        return studied.text === "ok" ? world.reply({ ...request, model: "target" }) : studied;
      },
    },
  });

/** Variables of somebody who has keys, and whose providers are all on this machine. */
export const docsVariables = (url: string): Readonly<Record<string, string>> => ({
  OPENAI_API_KEY: "a-key",
  OPENAI_BASE_URL: `${url}/v1`,
  ANTHROPIC_API_KEY: "a-key",
  ANTHROPIC_BASE_URL: url,
  OLLAMA_HOST: url,
});

/** What the docs' commands find: a skill, tasks, other skills, evals of other tools, a git branch. */
export async function openDocsOffice(): Promise<string> {
  const rows = world.tasks(36).map((task) => JSON.stringify(task));
  const cwd = await tempDir({
    "SKILL.md": world.seedSkill(2),
    "better.md": world.seedSkill(5),
    "A.md": world.seedSkill(1),
    "B.md": world.seedSkill(6),
    "tasks.jsonl": `${rows.join("\n")}\n`,
    ".gitignore": ".whetstone/\n",
    "data/split/train.jsonl": `${rows.slice(0, 12).join("\n")}\n`,
    "data/split/val.jsonl": `${rows.slice(12, 24).join("\n")}\n`,
    "data/split/test.jsonl": `${rows.slice(24).join("\n")}\n`,
    "configs/searchqa/default.yaml":
      "train:\n  num_epochs: 2\noptimizer:\n  learning_rate: 4\nenv:\n  name: searchqa\n",
  });
  cpSync(join(root, "examples/plugin-eval"), join(cwd, "plugin"), { recursive: true });
  for (const file of ["promptfooconfig.yaml", "more-tests.csv"])
    cpSync(join(root, "examples/promptfoo", file), join(cwd, file));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd });
  git("init", "-qb", "main");
  git("add", ".");
  git("commit", "-qm", "first");
  return cwd;
}

/** A line of ours as a person types it; undefined when it went well. */
export async function typeCommand(cwd: string, text: string): Promise<string | undefined> {
  const { io, text: printed } = capturedIo(cwd);
  const words = splitWords(text).slice(1);
  // a config is written once in a folder, and each page begins anew
  if (words[0] === "init")
    for (const end of ["mts", "ts", "json"]) rmSync(join(cwd, `whetstone.config.${end}`), { force: true });
  try {
    await createProgram(io, "0", words).parseAsync([...words], { from: "user" });
    return undefined;
  } catch (error) {
    const { code, message, hint } = error as { code?: string; message: string; hint?: string };
    if (code === "commander.helpDisplayed" || code === "commander.version") return undefined;
    return `${code}: ${message} ${hint ?? ""}\n${printed().slice(-2000)}`;
  }
}

/** Words of a shell, quotes aside. */
export const splitWords = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
