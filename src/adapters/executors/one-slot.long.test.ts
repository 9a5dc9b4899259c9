import { setImmediate as nextTurn } from "node:timers/promises";
import { simulatedTime } from "../../core/rehearse/simulated-time.ts";
import { type LoadFigures, type LoadOptions, loadServer } from "../../../test/support/one-slot/flat-load.ts";
import { trainOnSlot } from "../../../test/support/one-slot/train-on-slot.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";

const claim =
  "A local server with few slots, 25 s a call and no 429 is 95% busy. No call is lost, and booked tokens are at most 1.05 times the used ones. At a provider with enough capacity, a batch takes at most 1.1 times as long as with one more call per success.";

longTest(claim, oneSlot, ["--seeds", "1"]);

const callMs = 25_000;
const steady = () => callMs;
/** Some answers are ten times as long as others. */
const mixed = (_: number, random: () => number) => callMs * Math.exp(1.1 * (random() + random() - 1));

interface Case extends Omit<LoadOptions, "seed"> {
  readonly name: string;
  /** Tries that the case itself takes away. */
  readonly mayLose?: number;
}

const cases: readonly Case[] = [
  { name: "one slot", calls: 300, slots: 1, ms: steady },
  { name: "one slot, mixed answers", calls: 300, slots: 1, ms: mixed },
  { name: "four slots", calls: 600, slots: 4, ms: steady },
  { name: "four slots, mixed answers", calls: 600, slots: 4, ms: mixed },
  {
    name: "one slot, eight times slower from the 100th call on",
    calls: 300,
    slots: 1,
    ms: (served) => (served < 100 ? callMs : 8 * callMs),
  },
  {
    name: "one slot, away for a minute",
    calls: 600,
    slots: 1,
    ms: steady,
    // those in flight, then probes
    mayLose: 10,
    meanwhile: (server, process) => {
      process.after(callMs * 150 + 7000, "stop", () => server.stop());
      process.after(callMs * 150 + 67_000, "start", () => server.start());
    },
  },
];

async function oneSlot({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 4 : 20);
  const first = numberOption(args, "first", 1);
  const all = Array.from({ length: seeds }, (_, at) => first + at);
  log(`seeds ${first} to ${first + seeds - 1}; simulated clock, real executor, lane, journal and spend`);
  log("left out: the time a real server needs to load a model, prompts that it keeps, and other users of it");
  log("case                                                  share  minutes  lost  in flight  booked/used");
  const bad: string[] = [];
  const show = (name: string, runs: readonly LoadFigures[], mayLose = 0): Shown => {
    const shown = {
      share: Math.min(...runs.map(({ share }) => share)),
      minutes: Math.max(...runs.map(({ seconds }) => seconds)) / 60,
      lostTries: Math.max(...runs.map(({ lostTries }) => lostTries)),
      mostInFlight: Math.max(...runs.map(({ mostInFlight }) => mostInFlight)),
      booked: Math.max(...runs.map(({ booked }) => booked)),
    };
    const cells = [
      name.padEnd(52),
      shown.share.toFixed(3).padStart(6),
      shown.minutes.toFixed(0).padStart(8),
      String(shown.lostTries).padStart(5),
      String(shown.mostInFlight).padStart(10),
      shown.booked.toFixed(3).padStart(12),
    ];
    log(cells.join(" "));
    const isPending = runs.some(({ pending }) => pending > 0);
    if (shown.share < 0.95 || shown.lostTries > mayLose || shown.booked > 1.05 || isPending) bad.push(name);
    return shown;
  };
  const figures: Record<string, Shown> = {};
  for (const { name, mayLose, ...load } of cases) {
    const runs: LoadFigures[] = [];
    for (const seed of all) runs.push(await loadServer({ ...load, seed }));
    figures[name] = show(name, runs, mayLose);
  }
  const trained: LoadFigures[] = [];
  for (const seed of all.slice(0, short ? 2 : 10)) trained.push(await trainOnSlot(seed, callMs));
  figures["training"] = show("a training run, target and optimizer on one slot", trained);
  // one batch's luck is a tenth of the ratio
  const hosted = await hostedRatio(
    Array.from({ length: Math.max(16, seeds) }, (_, at) => first + at),
    log,
  );
  if (hosted > 1.1) bad.push("hosted");
  for (const name of bad) log(`SHORT OF IT: ${name}`);
  return { ok: bad.length === 0, figures: { seeds, first, ...figures, hostedRatio: hosted } };
}

type Shown = Readonly<Record<"share" | "minutes" | "lostTries" | "mostInFlight" | "booked", number>>;

/** Time for a batch of calls at a provider without limits, by what one more in flight with every success would take. */
async function hostedRatio(seeds: readonly number[], log: (line: string) => void): Promise<number> {
  const [calls, ms] = [400, 2000];
  const long = (random: () => number) => ms * Math.exp(1.5 * (random() + random() - 1));
  const ratios: number[] = [];
  for (const seed of seeds) {
    const times: number[] = [];
    const ours = await loadServer({
      seed,
      calls,
      slots: 4096,
      isNear: false,
      ms: (_, random) => {
        const drawn = long(random);
        times.push(drawn);
        return drawn;
      },
    });
    const time = simulatedTime(() => nextTurn().then(() => {}));
    await time.drive(() => Promise.all(times.map((one) => time.occupy("lane", "auto", one))));
    ratios.push((1000 * ours.seconds) / time.now());
  }
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  log(
    `${calls} calls at a provider with room for all, 2 s a call: ${mean.toFixed(2)} times as long as one more with every success (${Math.max(...ratios).toFixed(2)} at most)`,
  );
  return mean;
}
