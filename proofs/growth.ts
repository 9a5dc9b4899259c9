import { type Measured, type MeasuredCommand, measureCommand } from "./growth/measured-command.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { builtCli } from "./support/built-cli.ts";

export const claim =
  "With default settings, through the command, a training uses at most 0.5 s of CPU time before its first call at 100 tasks, and 2 s at 1,000. That's on top of `runs` in an empty folder. At 100 tasks, the first figure of `plan` takes at most 1 s of CPU time, and all of it 5 s. A call of `train` takes at most 1.5× what a call of `eval` takes. No command takes more per call as the number of calls grows (slope of at most 1.1).";

const bars = {
  first100: 0.5,
  first1000: 2,
  planFirst: 1,
  planAll: 5,
  perCall: 1.5,
  slope: 1.1,
} as const;

const sizes = {
  short: { eval: [100, 3000], compare: [100, 300], train: [100], plan: [100] },
  // the calls of a training grow with the square of its tasks
  full: {
    eval: [100, 1000, 10_000],
    compare: [100, 1000, 10_000],
    train: [100, 300, 1000],
    plan: [100, 300, 1000],
  },
} as const;

const verbs = ["eval", "compare", "train", "plan"] as const;

export default async function proveGrowth({ short, log }: ProofOptions): Promise<ProofResult> {
  const cli = builtCli(log);
  const measure = (verb: MeasuredCommand["verb"], tasks: number, stops = false) =>
    measureCommand({ cli, verb, tasks, stops });

  const idle = (await measure("runs", 0)).cpu;
  log(`CPU seconds; \`runs\` in an empty folder: ${idle.toFixed(2)}`);
  const first: Record<number, number> = {};
  for (const tasks of [100, 1000]) {
    first[tasks] = round((await measure("train", tasks, true)).cpuAtCall - idle);
    log(`train, ${tasks} tasks: ${first[tasks]} before the first call, on top of that`);
  }
  const seen = new Map<(typeof verbs)[number], readonly Measured[]>();
  for (const verb of verbs) {
    const all: Measured[] = [];
    for (const tasks of sizes[short ? "short" : "full"][verb]) {
      const one = await measure(verb, tasks);
      all.push(one);
      const own =
        verb === "plan"
          ? `${one.cpuAtWord.toFixed(2)} to the first figure`
          : `${(1000 * perCall(one)).toFixed(2)} ms a call`;
      log(
        `${verb.padEnd(7)} ${String(tasks).padStart(5)} tasks, ${String(one.calls).padStart(6)} calls: ${one.cpu.toFixed(2)} in all, ${own}`,
      );
    }
    seen.set(verb, all);
  }
  const [evals = [], trained = [], plans = []] = [seen.get("eval"), seen.get("train"), seen.get("plan")];
  const plan100 = plans[0];
  const slopes = Object.fromEntries(
    verbs.flatMap((verb) => {
      const all = seen.get(verb) ?? [];
      // a plan draws what a training of that size calls
      const calls = (verb === "plan" ? trained : all).map((one) => one.calls);
      return all.length < 2 ? [] : [[verb, slopeOf(all, calls, idle)]];
    }),
  ) as Readonly<Record<string, number>>;
  log(`slopes by calls: ${JSON.stringify(slopes)}`);
  // compared with an eval of about as many calls, so that startup and shutdown weigh the same
  const last = trained.at(-1);
  const distance = ({ calls }: Measured) => Math.abs(Math.log(calls / (last?.calls ?? 1)));
  const [beside] = evals.toSorted((a, b) => distance(a) - distance(b));
  const ratio = last && beside ? round(perCall(last) / perCall(beside)) : 0;
  log(`a call of train takes ${ratio}× what a call of eval takes`);
  const figures = {
    idle,
    first100: first[100] ?? 0,
    first1000: first[1000] ?? 0,
    planFirst: plan100?.cpuAtWord ?? 0,
    planAll: plan100?.cpu ?? 0,
    perCall: ratio,
    slopes,
  };
  const problems = [
    ...(["first100", "first1000", "planFirst", "planAll", "perCall"] as const).flatMap((name) =>
      figures[name] <= bars[name] ? [] : [`${name} is ${figures[name]}, at most ${bars[name]}`],
    ),
    ...Object.entries(slopes).flatMap(([verb, slope]) =>
      slope <= bars.slope ? [] : [`${verb} grows with slope ${slope}`],
    ),
  ];
  for (const problem of problems) log(`NOT: ${problem}`);
  // CPU time is all that counts
  return { ok: problems.length === 0, onlyLate: true, figures: { ...figures, problems } };
}

/** CPU time per call of the program itself, after startup. */
const perCall = ({ cpu, cpuAtCall, calls }: Measured): number => (cpu - cpuAtCall) / Math.max(calls, 1);

/** The slope of the line through the logarithms: 1 where twice as many calls take twice as long. */
function slopeOf(all: readonly Measured[], calls: readonly number[], idle: number): number {
  const points = all.map(
    ({ cpu }, at) => [Math.log(calls[at] ?? 1), Math.log(Math.max(cpu - idle, 0.01))] as const,
  );
  const [x, y] = [mean(points.map(([size]) => size)), mean(points.map(([, cpu]) => cpu))];
  const up = mean(points.map(([size, cpu]) => (size - x) * (cpu - y)));
  return round(up / mean(points.map(([size]) => (size - x) ** 2)));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value: number): number => Math.round(100 * value) / 100;
