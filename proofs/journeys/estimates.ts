import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
import { alignedTable } from "../../test/support/aligned-table.ts";
import { runCli } from "../support/run-cli.ts";
import { parcelWorld } from "./parcel-world.ts";
import { type SlowServerOptions, startSlowServer } from "./slow-server.ts";

/** What `plan` said after `doctor`, and what the run then took. */
export interface Estimate {
  readonly server: string;
  readonly verb: string;
  readonly low: number;
  readonly high: number;
  readonly actual: number;
  /** Calls that got a 429 while it ran. */
  readonly refused: number;
}

export const isInside = ({ low, high, actual }: Estimate): boolean => low <= actual && actual <= high;
export const widthOf = ({ low, high }: Estimate): number => high / low;

const servers: Readonly<Record<string, Pick<SlowServerOptions, "slots" | "msOf" | "mostPerSecond">>> = {
  "one slot": { slots: 1, msOf: ({ prompt }) => 100 + (prompt % 100) },
  "four slots": { slots: 4, msOf: ({ prompt }) => 200 + (prompt % 200) },
  "a provider with 429": { slots: 64, msOf: ({ prompt }) => 200 + (prompt % 200), mostPerSecond: 20 },
};

const verbs = {
  eval: { plan: ["--for", "eval"], flags: [] },
  train: { plan: ["--effort", "quick"], flags: ["--effort", "quick"] },
} as const;

export interface EstimateOptions {
  readonly cli: string;
  /** Each is one project at each of the servers. */
  readonly rounds: number;
  /** Of the first round. */
  readonly seed: number;
  /** No trainings. */
  readonly short: boolean;
}

/** One after another, since the clock is what is measured. */
export async function measureEstimates(
  folder: string,
  { rounds, seed, ...options }: EstimateOptions,
): Promise<readonly Estimate[]> {
  const rows: Estimate[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const server of Object.keys(servers))
      rows.push(
        ...(await measureOnce(join(folder, `${server}-${round}`), {
          ...options,
          server,
          seed: seed + round,
        })),
      );
  return rows;
}

/** A person of their own at each: nobody has timed this server before. */
async function measureOnce(
  home: string,
  { cli, server, seed, short }: Omit<EstimateOptions, "rounds"> & { readonly server: string },
): Promise<readonly Estimate[]> {
  const world = parcelWorld(seed);
  await using behind = await startScriptedServer({ seed, world, record: false });
  const { slots, msOf, mostPerSecond } = servers[server] as (typeof servers)[string];
  await using slow = await startSlowServer({
    behind: behind.url,
    models: ["small-7b"],
    slots,
    msOf,
    ...(mostPerSecond !== undefined && { mostPerSecond }),
  });
  const cwd = join(home, "project");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "SKILL.md"), world.seedSkill(0));
  const rows = world.tasks(40).map((task) => JSON.stringify(task));
  writeFileSync(join(cwd, "tasks.jsonl"), rows.join("\n"));
  const model = "house/small-7b";
  const config = { target: model, optimizer: model, baseURL: `${slow.url}/v1`, spend: { calls: 5000 } };
  writeFileSync(
    join(cwd, "whetstone.config.json"),
    JSON.stringify({ skill: "./SKILL.md", tasks: "./tasks.jsonl", ...config }),
  );
  const run = async (words: readonly string[]): Promise<string> => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: home };
    const { code, printed } = await runCli(words, { cwd, env, cli });
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${printed}`);
    return printed;
  };
  await run(["doctor"]);
  const tried = Object.entries(verbs).filter(([verb]) => !short || verb === "eval");
  const plans = new Map<string, { readonly low: number; readonly high: number }>();
  for (const [verb, { plan }] of tried) {
    const printed = await run(["plan", ...plan, "--json"]);
    const last = printed.split("\n").findLast((line) => line.startsWith("{")) ?? "{}";
    plans.set(verb, (JSON.parse(last) as { time: { low: number; high: number } }).time);
  }
  const measured: Estimate[] = [];
  for (const [verb, { flags }] of tried) {
    const before = new Set(timings(cwd));
    const refusedBefore = slow.refused;
    await run([verb, ...flags]);
    const [file = ""] = timings(cwd).filter((path) => !before.has(path));
    const { ms: actual } = JSON.parse(readFileSync(join(cwd, file), "utf8")) as { ms: number };
    const { low, high } = plans.get(verb) ?? { low: Number.NaN, high: Number.NaN };
    measured.push({ server, verb, low, high, actual, refused: slow.refused - refusedBefore });
  }
  return measured;
}

const timings = (cwd: string): readonly string[] => globSync(".whetstone/runs/*/timing.json", { cwd });

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

export const estimateLines = (rows: readonly Estimate[]): readonly string[] =>
  alignedTable({
    title: "Seconds that `plan` says after `doctor`, and what the run took",
    head: ["server", "verb", "plan", "width", "took", "429s", "inside"],
    rows: rows.map((row) => [
      row.server,
      row.verb,
      `${seconds(row.low)}–${seconds(row.high)}`,
      widthOf(row).toFixed(1),
      seconds(row.actual),
      String(row.refused),
      isInside(row) ? "yes" : "no",
    ]),
  });
