import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hiddenRuleWorld, startScriptedServer } from "../../src/testing/index.ts";
import { scriptedModels, scriptedPrices } from "../../test/support/scripted-config.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

/** What a command took. Processor time is in seconds, of all its threads. */
export interface Measured {
  readonly cpu: number;
  readonly calls: number;
  /** Until its first call, and until it first said something. */
  readonly cpuAtCall: number;
  readonly cpuAtWord: number;
}

export interface MeasuredCommand {
  readonly cli: string;
  readonly verb: "runs" | "train" | "eval" | "compare" | "plan";
  readonly tasks: number;
  /** Ends it at its first call. @default false */
  readonly stops?: boolean;
}

const world = hiddenRuleWorld({ seed: 1, noteLength: 200 });

const words = {
  runs: ["runs"],
  train: ["train"],
  eval: ["eval"],
  compare: ["compare", "before", "skill"],
  plan: ["plan"],
} as const;

/** Runs a command with default settings in a project of its own, against models that answer at once. */
export async function measureCommand({
  cli,
  verb,
  tasks,
  stops = false,
}: MeasuredCommand): Promise<Measured> {
  using folder = temporaryDirectory("growth");
  let [calls, cpu, cpuAtCall, cpuAtWord] = [0, 0, 0, 0];
  await using server = await startScriptedServer({
    seed: 1,
    record: false,
    world: {
      reply(request) {
        if (calls === 0) {
          cpuAtCall = cpuOf(child.pid) ?? cpu;
          if (stops) child.kill("SIGKILL");
        }
        calls += 1;
        return world.reply(request);
      },
    },
  });
  if (verb !== "runs") writeProject(folder.path, server.url, tasks);
  const child = spawn(process.execPath, [cli, ...words[verb]], {
    cwd: folder.path,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder.path,
      WHETSTONE_STATE: join(folder.path, "state"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  const listen = (chunk: Buffer) => {
    if (printed === "") cpuAtWord = cpuOf(child.pid) ?? cpu;
    printed += chunk.toString();
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  const watching = setInterval(() => {
    cpu = cpuOf(child.pid) ?? cpu;
  }, 10);
  const code = await new Promise<number | null>((resolve) => void child.once("close", resolve));
  clearInterval(watching);
  // an empty folder has no runs to show
  if (code !== 0 && !stops && verb !== "runs") throw new Error(`${verb} ended with ${code}:\n${printed}`);
  return { cpu, calls, cpuAtCall, cpuAtWord };
}

function writeProject(folder: string, url: string, tasks: number): void {
  const head = "---\nname: desk\ndescription: Sorts parcels at the desk.\n---\n";
  for (const [name, rulesHeld] of [
    ["skill", 4],
    ["before", 2],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "SKILL.md"), head + world.seedSkill(rulesHeld));
  }
  const lines = world.tasks(tasks).map((task) => JSON.stringify(task));
  writeFileSync(join(folder, "tasks.jsonl"), `${lines.join("\n")}\n`);
  const config = {
    ...scriptedModels,
    skill: "skill",
    tasks: "tasks.jsonl",
    providers: { scripted: { baseURL: `${url}/v1` } },
    prices: scriptedPrices,
    spend: { usd: 100_000 },
  };
  writeFileSync(join(folder, "whetstone.config.json"), JSON.stringify(config));
}

/** Undefined when it has ended. Linux counts in hundredths of a second. */
function cpuOf(pid: number | undefined): number | undefined {
  try {
    const [, rest = ""] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const fields = rest.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}
