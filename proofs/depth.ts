import { availableParallelism } from "node:os";
import { type TrainSettings, hashJson, sqliteJournal } from "../src/ports.ts";
import { type Latency, hiddenRuleWorld } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { buildGraph, roundsPerStep } from "./support/call-graph.ts";
import { readExport } from "../test/support/kill-run.ts";
import { type RecordedCall, recordRun } from "./support/recorded-run.ts";
import { paperSettings, scriptedRun } from "../test/support/scripted-run.ts";
import { startServerProcess } from "./support/server-process.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "a training step is a chain of 5 dependent calls at most, and one seed gives one result on 10 runs";

const mostRounds = 5;
/** With the gate of rules and its lag. */
const [mostLaggedRounds, mostLaggedSeconds] = [3.5, 28];
/** Measured in `research/rivals-measured.md`: the same work at 500 ms with 64 workers, and rounds per step. */
const rivals = [
  { name: "skillrl", seconds: 43.5, rounds: 7.0 },
  { name: "SkillOpt", seconds: 49.7, rounds: 7.9 },
] as const;

/** The same work, where replies take a lognormal time with this median, and those of the optimizer four times as long. */
const skewed = { medianMs: 500, sigma: 0.6, optimizerTimes: 4, skillrlSeconds: 193 };

/** The work that the rivals were measured on. */
const work = {
  rules: 12,
  rulesHeld: 4,
  passWith: 0.92,
  passWithout: 0.25,
  noteLength: 1500,
  sizes: { train: 200, val: 100, test: 100 },
} as const;

export default async function depth(options: ProofOptions): Promise<ProofResult> {
  const { log, short, args } = options;
  const seed = numberOption(args, "seed", 1);
  const { rules, rulesHeld, passWith, passWithout, noteLength, sizes } = work;
  log(
    `seed ${seed}; ${rules} rules, the skill holds ${rulesHeld}, P ${passWith}/${passWithout}, ${noteLength} characters a task`,
  );
  log(
    `${JSON.stringify(sizes)}, 2 epochs, batch 40, strict gate; server in a process of its own (${availableParallelism()} cores)`,
  );

  log("");
  const roundMs = short ? 250 : 400;
  log(`A. unlimited calls in flight, every reply takes ${roundMs} ms: calls in a row, step by step`);
  const unlimited = await execute(seed, { kind: "fixed", ms: roundMs }, 4096);
  const graph = roundsPerStep(buildGraph(unlimited.calls, paperSettings.minibatchSize));
  const measured = graph.map((_, index) => longestSequence(callsOf(unlimited, index + 1)));
  log(`step              ${graph.map((_, index) => String(index + 1).padStart(3)).join("")}`);
  log(`measured          ${measured.map((rounds) => String(rounds).padStart(3)).join("")}`);
  log(`by dependencies   ${graph.map((rounds) => String(rounds).padStart(3)).join("")}`);
  const mean = measured.reduce((a, b) => a + b, 0) / measured.length;
  const beside = rivals.map(({ name, rounds }) => `${name} ${rounds.toFixed(1)}`).join(", ");
  log(`${mean.toFixed(1)} rounds per step, ${Math.max(...measured)} at most (${beside})`);

  log("");
  log("B. 64 calls in flight, 500 ms");
  // wall times need the quiet minutes of the full form
  const seconds = short ? undefined : (await execute(seed, { kind: "fixed", ms: 500 }, 64)).ms / 1000;
  log(seconds === undefined ? "in the full form" : `${seconds.toFixed(1)} s, journal and artifacts on disk`);
  if (seconds !== undefined)
    for (const rival of rivals)
      log(`${rival.name.padEnd(9)} ${rival.seconds} s, ${(rival.seconds / seconds).toFixed(2)} x as long`);

  log("");
  const repeats = numberOption(args, "repeats", short ? 3 : 10);
  log(
    `C. ${repeats} runs of seed ${seed}, each with its own random latencies (0 to 20 ms) and order of arrival`,
  );
  const hashes: string[] = [];
  for (let at = 1; at <= repeats; at += 1) {
    const { hash, order } = await execute(seed, { kind: "uniform", minMs: 0, maxMs: 20 }, 64, at);
    hashes.push(hash);
    log(
      `run ${String(at).padStart(2)}: artifacts ${hash.slice(0, 16)}, order of replies ${order.slice(0, 8)}`,
    );
  }
  const same = hashes.filter((hash) => hash === hashes[0]).length;
  log(`${same} of ${repeats} the same`);

  log("");
  log("D. the gate of rules: proposals lag by one step and are made while the last ones are measured");
  const lagged: Partial<TrainSettings> = { gate: "rules", lag: 1, texts: 8 };
  const deep = await execute(seed, { kind: "fixed", ms: roundMs }, 4096, seed, lagged);
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
  const timed = async (latency: Latency, optimizer?: Latency): Promise<number | undefined> =>
    short ? undefined : (await execute(seed, latency, 64, seed, lagged, optimizer)).ms / 1000;
  const laggedSeconds = await timed({ kind: "fixed", ms: 500 });
  log(
    laggedSeconds === undefined
      ? "wall time: in the full form"
      : `${laggedSeconds.toFixed(1)} s with 64 in flight, 500 ms`,
  );
  const { medianMs, sigma, optimizerTimes, skillrlSeconds } = skewed;
  const slow = { kind: "lognormal", medianMs: medianMs * optimizerTimes, sigma } as const;
  const skewedSeconds = await timed({ kind: "lognormal", medianMs, sigma }, slow);
  if (skewedSeconds !== undefined)
    log(
      `${skewedSeconds.toFixed(1)} s with skewed latencies and a slow optimizer (skillrl ${skillrlSeconds} s)`,
    );
  const isDeep = laggedRounds > mostLaggedRounds;
  const isLate = (laggedSeconds ?? 0) > mostLaggedSeconds || (skewedSeconds ?? 0) > skillrlSeconds;

  const isFlat = [...measured, ...graph].every((rounds) => rounds <= mostRounds) && same === repeats;
  return {
    ok: isFlat && !isDeep && !isLate,
    onlyLate: isFlat && !isDeep,
    figures: {
      laggedRounds: Math.round(laggedRounds * 10) / 10,
      laggedSeconds: laggedSeconds ?? null,
      skewedSeconds: skewedSeconds ?? null,
      rounds: Math.max(...measured),
      roundsMean: Math.round(mean * 10) / 10,
      roundsByDependencies: Math.max(...graph),
      seconds500ms64: seconds ?? null,
      skillrlSeconds: rivals[0].seconds,
      skilloptSeconds: rivals[1].seconds,
      sameResult: same,
      runs: repeats,
    },
  };
}

const callsOf = ({ calls }: Execution, step: number) => calls.filter((call) => call.step === step);

interface Execution {
  readonly calls: readonly RecordedCall[];
  readonly ms: number;
  /** Of every exported file. */
  readonly hash: string;
  /** Of the keys in the order in which their replies came. */
  readonly order: string;
}

/** `jitter` seeds the server's latencies alone: what it says depends on the world's seed. */
async function execute(
  seed: number,
  latency: Latency,
  concurrency: number,
  jitter = seed,
  settings: Partial<TrainSettings> = {},
  optimizer?: Latency,
): Promise<Execution> {
  const { rules, passWith, passWithout, noteLength } = work;
  const options = { seed, rules, passWith, passWithout, noteLength };
  const world = hiddenRuleWorld(options);
  await using server = await startServerProcess({
    seed: jitter,
    world: options,
    latency,
    ...(optimizer === undefined ? {} : { latencies: { "optimizer-1": optimizer } }),
  });
  using folder = temporaryDirectory("depth");
  const out = `${folder.path}/export`;
  const journal = await sqliteJournal({ dir: folder.path });
  const resolved = scriptedRun({
    url: server.url,
    skill: world.seedSkill(work.rulesHeld),
    splits: world.splits(work.sizes),
    settings: { seed, epochs: 2, batchSize: 40, ...settings },
    rest: { journalDir: folder.path, out, concurrency },
  });
  const { calls, ms } = await recordRun(resolved, journal);
  await journal.close();
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
