import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "../test/support/project-state.ts";
import { type Config, type Imported, evaluate, importTasks } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { runCli } from "./support/run-cli.ts";
import { programsOnly } from "./support/sleep-command.ts";
import { proveBenchmarks } from "./examples/benchmarks.ts";
import { exampleProjects, readConfig } from "./examples/read-config.ts";
import { exampleWorld } from "./examples/world.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "Every example is fully understood, can be planned, and scores 1 with good answers and 0 with bad ones. Every benchmark runs without a key, has fewer than 100 lines, and learns something. So does training in code, for nine of ten seeds.";

const folder = join(import.meta.dirname, "../examples");
const model = "office/model";

export default async function proveExamples(options: ProofOptions): Promise<ProofResult> {
  const { log } = options;
  const names = exampleProjects(folder);
  log("example          format        tasks  plan                      good  bad");
  const failed: string[] = [];
  let tasks = 0;
  for (const name of names) {
    const problems = await proveExample(name, log);
    tasks += problems.tasks;
    for (const problem of problems.list) {
      log(`${name}: ${problem}`);
      failed.push(name);
    }
  }
  const benchmarks = proveBenchmarks(options);
  return {
    ok: names.length > 0 && failed.length === 0 && benchmarks.ok,
    figures: { examples: names.length, tasks, failed, ...benchmarks.figures },
  };
}

async function proveExample(
  name: string,
  log: (line: string) => void,
): Promise<{ readonly tasks: number; readonly list: readonly string[] }> {
  const place = join(folder, name);
  const config = await readConfig(place);
  // like a person in that folder
  process.chdir(place);
  if (typeof config.tasks !== "string") return { tasks: 0, list: ["its config names no tasks"] };
  const imported = await importTasks(config.tasks);
  const shown = await runCommand(["import", config.tasks], place);
  await using server = await startScriptedServer({
    seed: 1,
    world: exampleWorld(imported.tasks, true),
    record: false,
  });
  const plan = await planExample(place, `${server.url}/v1`);
  const good = await scoreExample(config, imported, true);
  const bad = await scoreExample(config, imported, false);
  log(
    `${name.padEnd(15)}  ${imported.format.padEnd(12)}  ${String(imported.tasks.length).padStart(5)}  ${plan.padEnd(24)}  ${good.toFixed(2)}  ${bad.toFixed(2)}`,
  );
  return {
    tasks: imported.tasks.length,
    list: [
      ...imported.notUnderstood
        .filter(({ effect }) => effect === "invalid")
        .map(({ where, what }) => `${where}: ${what}`),
      ...(shown.startsWith(`${imported.tasks.length} tasks understood\n`) ? [] : [`import says: ${shown}`]),
      ...(plan.includes("calls for") ? [] : [`plan says: ${plan}`]),
      ...(good === 1 ? [] : [`good answers score ${good}`]),
      ...(bad === 0 ? [] : [`bad answers score ${bad}`]),
      ...([join(place, ".whetstone"), join(projectState(place), "journal.db")].some((path) =>
        existsSync(path),
      )
        ? ["it left a journal behind"]
        : []),
    ],
  };
}

/** The plan's first line, by the command itself. */
async function planExample(place: string, baseURL: string): Promise<string> {
  using journal = temporaryDirectory("examples");
  const models = ["--target", model, "--optimizer", model, "--base-url", baseURL, "--spend-calls", "5000"];
  const text = await runCommand(["plan", ...models, "--journal", journal.path], place);
  return (
    text
      .split("\n")
      .find((line) => line.includes("calls for"))
      ?.replace(/^\$0, /, "") ?? text
  );
}

/** A command, started as a person would in the example's folder. */
async function runCommand(args: readonly string[], cwd: string): Promise<string> {
  const { printed } = await runCli(args, { cwd, env: programsOnly() });
  return printed;
}

async function scoreExample(config: Config, imported: Imported, isGood: boolean): Promise<number> {
  using journal = temporaryDirectory("examples");
  await using server = await startScriptedServer({
    seed: 1,
    world: exampleWorld(imported.tasks, isGood),
    record: false,
  });
  const models: Config = { target: model, optimizer: model, judge: model, baseURL: `${server.url}/v1` };
  const { summary } = await evaluate({ ...config, ...models, spend: { calls: 1000 }, journal: journal.path });
  return summary.hard ?? Number.NaN;
}
