import { type Config } from "../../src/index.ts";
import { hashJson } from "../../src/ports.ts";
import { type Latency, hiddenRuleWorld } from "../../src/testing/index.ts";
import { readExport } from "../../test/support/kill-run.ts";
import { scriptedConfig } from "../../test/support/scripted-config.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../proof.ts";
import { buildGraph, roundsPerStep } from "./call-graph.ts";
import { type RecordedCall, recordRun } from "./recorded-run.ts";
import { startServerProcess } from "./server-process.ts";

const mostRounds = 5;
/** With the gate of rules and its lag. Attempts carry the last step's edits, so they begin after them: a round of each step. */
const [mostLaggedRounds, mostLaggedSeconds] = [4.5, 28];
/** Measured in `research/rivals-measured.md`: the same work at 500 ms with 64 workers, and rounds per step. */
export const rivals = [
  { name: "skillrl", seconds: 43.5, rounds: 7.0 },
  { name: "SkillOpt", seconds: 49.7, rounds: 7.9 },
] as const;

/** The same work, where replies take a lognormal time with this median, and those of the optimizer four times as long. */
const skewed = { medianMs: 500, sigma: 0.6, optimizerTimes: 4, skillrlSeconds: 193 };

/** The world that the rivals were measured on. */
export const rivalWorld = { rules: 12, passWith: 0.92, passWithout: 0.25, noteLength: 1500 } as const;
export const [rulesHeld, rivalSizes] = [4, { train: 200, val: 100, test: 100 }] as const;

/** How many calls of a step wait for one another, and that the order of replies changes nothing. */
export async function proveRounds({ log, short, args }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const roundMs = short ? 250 : 400;
  log(`unlimited calls in flight, every reply takes ${roundMs} ms: calls in a row, step by step`);
  const unlimited = await execute({ seed, latency: { kind: "fixed", ms: roundMs }, concurrency: 4096 });
  const graph = roundsPerStep(buildGraph(unlimited.calls));
  const measured = graph.map((_, index) =>
    longestSequence(unlimited.calls.filter(({ step }) => step === index + 1)),
  );
  log(`step              ${graph.map((_, index) => String(index + 1).padStart(3)).join("")}`);
  log(`measured          ${measured.map((rounds) => String(rounds).padStart(3)).join("")}`);
  log(`by dependencies   ${graph.map((rounds) => String(rounds).padStart(3)).join("")}`);
  const mean = measured.reduce((a, b) => a + b, 0) / measured.length;
  const beside = rivals.map(({ name, rounds }) => `${name} ${rounds.toFixed(1)}`).join(", ");
  log(`${mean.toFixed(1)} rounds per step, ${Math.max(...measured)} at most (${beside})`);

  const repeats = numberOption(args, "repeats", short ? 3 : 10);
  log(`${repeats} runs of seed ${seed}, each with its own latencies (0 to 20 ms) and order of arrival`);
  const hashes: string[] = [];
  for (let at = 1; at <= repeats; at += 1) {
    const latency = { kind: "uniform", minMs: 0, maxMs: 20 } as const;
    const { hash, order } = await execute({ seed, latency, concurrency: 64, jitter: at });
    hashes.push(hash);
    log(
      `run ${String(at).padStart(2)}: artifacts ${hash.slice(0, 16)}, order of replies ${order.slice(0, 8)}`,
    );
  }
  const same = hashes.filter((hash) => hash === hashes[0]).length;
  log(`${same} of ${repeats} the same`);

  log("the gate of rules: proposals lag by one step and are made while the last ones are measured");
  const lagged: Config = { gate: "rules", lag: 1, texts: 8 };
  const deep = await execute({
    seed,
    latency: { kind: "fixed", ms: roundMs },
    concurrency: 4096,
    settings: lagged,
  });
  const steps = new Set(deep.calls.map(({ step }) => step)).size - 1;
  const searching = deep.calls.filter(({ stage }) => stage !== "test");
  // steps overlap, so they are counted together: all but what comes before the first and after the last
  const stepping = searching.filter(({ step, stage }) => step > 0 && stage !== "confirm");
  const [laggedRounds, searchRounds] = [stepping, searching].map(
    (calls) => longestSequence(calls) / steps,
  ) as [number, number];
  log(`${laggedRounds.toFixed(1)} rounds per step, ${steps} steps (${beside})`);
  log(
    `${searchRounds.toFixed(1)} with preflight, the original's measurement, the ending and the confirmation`,
  );
  // wall times need the quiet minutes of the full form
  const timed = async (latency: Latency, optimizer?: Latency): Promise<number | undefined> =>
    short
      ? undefined
      : (await execute({ seed, latency, concurrency: 64, settings: lagged, optimizer })).ms / 1000;
  const laggedSeconds = await timed({ kind: "fixed", ms: 500 });
  const { medianMs, sigma, optimizerTimes, skillrlSeconds } = skewed;
  const slow = { kind: "lognormal", medianMs: medianMs * optimizerTimes, sigma } as const;
  const skewedSeconds = await timed({ kind: "lognormal", medianMs, sigma }, slow);
  if (laggedSeconds !== undefined && skewedSeconds !== undefined)
    log(
      `64 in flight: ${laggedSeconds.toFixed(1)} s at 500 ms; ${skewedSeconds.toFixed(1)} s with skewed latencies and a slow optimizer (skillrl ${skillrlSeconds} s)`,
    );
  const isFlat =
    [...measured, ...graph].every((rounds) => rounds <= mostRounds) &&
    same === repeats &&
    laggedRounds <= mostLaggedRounds;
  return {
    ok: isFlat && (laggedSeconds ?? 0) <= mostLaggedSeconds && (skewedSeconds ?? 0) <= skillrlSeconds,
    onlyLate: isFlat,
    figures: {
      laggedRounds: Math.round(laggedRounds * 10) / 10,
      laggedSeconds: laggedSeconds ?? null,
      skewedSeconds: skewedSeconds ?? null,
      rounds: Math.max(...measured),
      roundsMean: Math.round(mean * 10) / 10,
      roundsByDependencies: Math.max(...graph),
      sameResult: same,
      runs: repeats,
    },
  };
}

interface Plan {
  readonly seed: number;
  readonly latency: Latency;
  readonly concurrency: number;
  /** Seeds the server's latencies alone: what it says depends on the world's seed. */
  readonly jitter?: number;
  readonly settings?: Config;
  readonly optimizer?: Latency | undefined;
}

interface Execution {
  readonly calls: readonly RecordedCall[];
  readonly ms: number;
  /** Of every exported file. */
  readonly hash: string;
  /** Of the keys in the order in which their replies came. */
  readonly order: string;
}

async function execute(plan: Plan): Promise<Execution> {
  const { seed, latency, concurrency, jitter = seed, settings = {}, optimizer } = plan;
  const options = { seed, ...rivalWorld };
  const world = hiddenRuleWorld(options);
  await using server = await startServerProcess({
    seed: jitter,
    world: options,
    latency,
    ...(optimizer === undefined ? {} : { latencies: { "optimizer-1": optimizer } }),
  });
  using folder = temporaryDirectory("rounds");
  const out = `${folder.path}/export`;
  const { calls, ms } = await recordRun(server.url, {
    ...scriptedConfig(server.url, world.seedSkill(rulesHeld), world.splits(rivalSizes)),
    ...settings,
    seed,
    concurrency,
    journal: folder.path,
    out,
  });
  const order = calls.toSorted((a, b) => a.ended - b.ended).map(({ key }) => key);
  return { calls, ms, hash: hashJson(Object.fromEntries(readExport(out))), order: hashJson(order) };
}

/** The most calls of which each began after the one before had ended. */
function longestSequence(calls: readonly RecordedCall[]): number {
  let [rounds, free] = [0, 0];
  for (const { began, ended } of calls.toSorted((a, b) => a.ended - b.ended)) {
    if (began < free) continue;
    rounds += 1;
    free = ended;
  }
  return rounds;
}
