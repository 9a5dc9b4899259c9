import { evaluate } from "../../src/index.ts";
import { hiddenRuleWorld } from "../../src/testing/index.ts";
import { scriptedConfig } from "../../test/support/scripted-config.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../proof.ts";
import { type WatchedCall, watchedModels } from "../support/watched-models.ts";
import { type BareCall, bareFetch, bareGenerateText, driveAll, driveGraph } from "./bare-driver.ts";
import { buildGraph } from "./call-graph.ts";
import { recordRun } from "./recorded-run.ts";
import { rivalSizes, rivalWorld, rivals, rulesHeld } from "./rounds.ts";
import { startServerProcess } from "./server-process.ts";

const least = 0.8;
const most = 1.1;

/** What the stack costs beside bare calls of the AI SDK: units per second, and whole training runs. */
export async function proveOverhead(options: ProofOptions): Promise<ProofResult> {
  const { short, log, args } = options;
  const seed = numberOption(args, "seed", 1);
  const rate = await measureRate(seed, options);
  // the work that the rivals were measured on, and one with many calls in flight
  const rivalPlan: RunPlan = {
    seed,
    latencyMs: 500,
    concurrency: 64,
    sizes: { ...rivalSizes, ...(short ? { train: 40 } : {}) },
    batchSize: 40,
    epochs: short ? 1 : 2,
    rounds: short ? 2 : 3,
  };
  const widePlan: RunPlan = {
    seed,
    latencyMs: 2000,
    concurrency: 512,
    sizes: { train: 800, val: 800, test: 400 },
    batchSize: 200,
    epochs: 1,
    rounds: 3,
  };
  const runs: MeasuredRun[] = [];
  for (const plan of short ? [rivalPlan] : [rivalPlan, widePlan]) runs.push(await measureRun(plan, log));
  const seconds = (runs[0]?.oursMs ?? 0) / 1000;
  if (!short)
    for (const rival of rivals)
      log(`${rival.name.padEnd(9)} ${rival.seconds} s, ${(rival.seconds / seconds).toFixed(2)} x as long`);
  return {
    ok: rate.ratio >= least && runs.every(({ ratio }) => ratio <= most),
    onlyLate: true,
    figures: {
      unitsPerSecond: Math.round(rate.ours),
      generateTextPerSecond: Math.round(rate.bare),
      fetchPerSecond: Math.round(rate.raw),
      rateRatio: round(rate.ratio),
      ...Object.fromEntries(
        runs.flatMap(({ plan, oursMs, bareMs, ratio }) => {
          const name = `at${plan.latencyMs}ms${plan.concurrency}`;
          return [
            [`${name}Seconds`, round(oursMs / 1000)],
            [`${name}BareSeconds`, round(bareMs / 1000)],
            [`${name}Ratio`, round(ratio)],
          ];
        }),
      ),
      skillrlSeconds: rivals[0].seconds,
      skilloptSeconds: rivals[1].seconds,
    },
  };
}

interface Rate {
  /** Units per second, each the median of its rounds. */
  readonly ours: number;
  readonly bare: number;
  readonly raw: number;
  /** The median of the rounds' ratios. */
  readonly ratio: number;
}

/** Zero latency, 64 in flight: the whole stack and the two bare loops, in turn. */
async function measureRate(seed: number, { short, args, log }: ProofOptions): Promise<Rate> {
  const count = numberOption(args, "units", short ? 800 : 4000);
  const rounds = numberOption(args, "rounds", short ? 4 : 9);
  const concurrency = 64;
  const world = hiddenRuleWorld({ seed });
  await using server = await startServerProcess({ seed, world: { seed } });
  const tasks = { train: world.tasks(1, { start: count }), val: world.tasks(count) };
  const config = { ...scriptedConfig(server.url, world.seedSkill(4), tasks), concurrency };
  const calls: WatchedCall[] = [];
  let isRecorded = false;
  const models = watchedModels(server.url, (call, make) => {
    if (!isRecorded) calls.push(call);
    return make();
  });
  const ours = async (): Promise<number> => {
    using folder = temporaryDirectory("overhead");
    const started = performance.now();
    await evaluate({ ...config, ...models, journal: folder.path });
    isRecorded = true;
    return (1000 * count) / (performance.now() - started);
  };
  const loop = async (call: BareCall): Promise<number> =>
    (1000 * calls.length) / (await driveAll(calls, concurrency, call));
  const [generate, raw] = [bareGenerateText(server.url), bareFetch(server.url)];

  log(`no latency, ${concurrency} in flight, ${count} units a round: units per second`);
  log("round  whetstone + sqlite  generateText  fetch  ratio to generateText");
  const rows: { readonly ours: number; readonly bare: number; readonly raw: number }[] = [];
  // the first round warms up all three and does not count
  for (let at = 0; at <= rounds; at += 1) {
    const row = { ours: await ours(), bare: await loop(generate), raw: await loop(raw) };
    const name = at === 0 ? "warm" : String(at);
    log(
      `${name.padStart(5)}  ${show(row.ours, 18)}  ${show(row.bare, 12)}  ${show(row.raw, 5)}  ${(row.ours / row.bare).toFixed(2)}`,
    );
    if (at > 0) rows.push(row);
  }
  const ratio = median(rows.map((row) => row.ours / row.bare));
  log(`median ratio ${ratio.toFixed(2)} (at least ${least})`);
  return {
    ours: median(rows.map((row) => row.ours)),
    bare: median(rows.map((row) => row.bare)),
    raw: median(rows.map((row) => row.raw)),
    ratio,
  };
}

interface RunPlan {
  readonly seed: number;
  readonly latencyMs: number;
  readonly concurrency: number;
  readonly sizes: { readonly train: number; readonly val: number; readonly test: number };
  readonly batchSize: number;
  readonly epochs: number;
  readonly rounds: number;
}

interface MeasuredRun {
  readonly plan: RunPlan;
  readonly oursMs: number;
  readonly bareMs: number;
  readonly ratio: number;
}

/** A whole training run, then exactly its calls in exactly its dependencies by bare generateText, in turn. */
async function measureRun(plan: RunPlan, log: ProofOptions["log"]): Promise<MeasuredRun> {
  const { seed, latencyMs, concurrency, sizes, batchSize, epochs, rounds } = plan;
  log(
    `a training run at ${latencyMs} ms, ${concurrency} in flight, ${JSON.stringify(sizes)}, batch ${batchSize}`,
  );
  const options = { seed, ...rivalWorld };
  const world = hiddenRuleWorld(options);
  const latency = { kind: "fixed", ms: latencyMs } as const;
  await using server = await startServerProcess({ seed, world: options, latency });
  const config = scriptedConfig(server.url, world.seedSkill(rulesHeld), world.splits(sizes));
  const times: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    using folder = temporaryDirectory("overhead-run");
    const own = { seed, epochs, batchSize, concurrency, journal: folder.path };
    const { calls, ms } = await recordRun(server.url, { ...config, ...own });
    const graph = buildGraph(calls);
    if (round === 1) {
      const depth = Math.max(...graph.map((call) => call.depth));
      const steps = Math.max(...calls.map(({ step }) => step));
      const shortest = (depth * latencyMs) / 1000;
      log(`${graph.length} calls, ${steps} steps, longest chain ${depth} calls = ${shortest} s`);
    }
    const bare = await driveGraph(graph, concurrency, bareGenerateText(server.url));
    times.push({ ours: ms, bare });
    log(
      `whetstone ${(ms / 1000).toFixed(2)} s, the same graph by generateText ${(bare / 1000).toFixed(2)} s`,
    );
  }
  // other work on the machine only ever adds time, so the best of each side is the nearest to its own
  const oursMs = Math.min(...times.map((time) => time.ours));
  const bareMs = Math.min(...times.map((time) => time.bare));
  const ratio = oursMs / bareMs;
  log(`ratio of the best ${ratio.toFixed(3)} (at most ${most})`);
  return { plan, oursMs, bareMs, ratio };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
const show = (value: number, width: number): string => String(Math.round(value)).padStart(width);
