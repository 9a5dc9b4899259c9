import type { TrainSettings } from "../../../src/ports.ts";
import { seededRandom } from "../../../src/testing/index.ts";

/** What a run is like whose end is foretold. */
export interface EtaShape {
  readonly name: string;
  readonly verb?: "train" | "eval" | "compare" | "prune";
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number };
  readonly settings: Partial<TrainSettings>;
  /** Calls at a time that we allow ourselves. */
  readonly concurrency: number | "auto";
  /** Milliseconds of a call, in the middle. */
  readonly targetMs: number;
  readonly optimizerMs: number;
  /** How far calls lie apart: the standard deviation of the logarithm. */
  readonly noise: number;
  /** Calls at a time that the server works on; others wait there. @default no limit */
  readonly slots?: number;
  /** Stopped once after this share of its results, and told from there. */
  readonly resumedAt?: number;
  /** Whether the journal knows the models from a short run before. */
  readonly isWarm?: boolean;
  /** Rules that the seed skill holds, of eight: all of them leave nothing to learn. @default 2 */
  readonly held?: number;
  /** From some result on, calls take so many times longer. */
  readonly slower?: { readonly after: number; readonly times: number };
}

const lagging = { gate: "rules", lag: 1, epochs: 2, batchSize: 12 } as const;
const strict = { gate: "strict", lag: 0, epochs: 2, batchSize: 12 } as const;
const middle = { train: 24, val: 24, test: 16 } as const;
const usual = { concurrency: 8, targetMs: 3000, optimizerMs: 12_000, noise: 0.4 } as const;

/** The shapes that the estimate was made with. */
export const knownShapes: readonly EtaShape[] = [
  { name: "rules, lag 1", tasks: middle, settings: lagging, ...usual },
  { name: "rules, lag 0", tasks: middle, settings: { ...lagging, lag: 0 }, ...usual },
  { name: "strict", tasks: middle, settings: strict, ...usual },
  { name: "few steps", tasks: middle, settings: { ...lagging, epochs: 1, batchSize: 24 }, ...usual },
  { name: "many steps", tasks: middle, settings: { ...lagging, epochs: 5, batchSize: 4 }, ...usual },
  { name: "noisy latencies", tasks: middle, settings: lagging, ...usual, noise: 1.1 },
  { name: "slow optimizer", tasks: middle, settings: lagging, ...usual, optimizerMs: 90_000 },
  {
    name: "one slot",
    tasks: middle,
    settings: lagging,
    ...usual,
    concurrency: "auto",
    targetMs: 25_000,
    slots: 1,
  },
  { name: "one at a time", tasks: middle, settings: strict, ...usual, concurrency: 1 },
  { name: "resumed", tasks: middle, settings: lagging, ...usual, resumedAt: 0.4 },
  { name: "early end", tasks: middle, settings: { ...lagging, epochs: 4 }, ...usual, held: 8 },
  { name: "many trials", tasks: { ...middle, test: 40 }, settings: { ...lagging, claimTrials: 8 }, ...usual },
  {
    name: "growing concurrency",
    tasks: { train: 80, val: 60, test: 60 },
    settings: { ...lagging, batchSize: 40 },
    ...usual,
    concurrency: "auto",
  },
  { name: "no test", tasks: { ...middle, test: 0 }, settings: strict, ...usual },
  {
    name: "baselines",
    tasks: middle,
    settings: { ...lagging, baselines: true, slowUpdate: true, metaSkill: true },
    ...usual,
  },
  { name: "warm", tasks: middle, settings: lagging, ...usual, isWarm: true },
  { name: "eval", verb: "eval", tasks: { train: 10, val: 60, test: 0 }, settings: {}, ...usual },
  { name: "compare", verb: "compare", tasks: middle, settings: { claimTrials: 4 }, ...usual },
  { name: "prune", verb: "prune", tasks: middle, settings: {}, ...usual, held: 6 },
];

/** A shape that nobody chose: all of it is drawn. */
export function drawShape(nth: number, seed: number): EtaShape {
  const random = seededRandom("eta shape", seed, nth);
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const between = (low: number, high: number) => low * (high / low) ** random();
  const count = (low: number, high: number) => Math.round(between(low, high));
  const tasks = { train: count(12, 60), val: count(12, 50), test: pick(0, count(8, 60), count(8, 60)) };
  const settings: Partial<TrainSettings> = {
    gate: pick("rules", "rules", "strict"),
    lag: pick(0, 1),
    epochs: pick(1, 2, 3, 4),
    batchSize: pick(6, 12, 24),
    editBudget: pick(2, 4),
    trials: pick(1, 1, 3),
    claimTrials: pick(1, 3, 8),
    attempts: pick(1, 1, 2),
    stopEarly: pick(true, false),
    slowUpdate: pick(true, false),
    metaSkill: pick(true, false),
    editor: pick(true, false),
    baselines: pick(true, false),
  };
  const slots = pick(undefined, undefined, 1, 4);
  const drawn = {
    tasks,
    settings,
    concurrency: pick<number | "auto">("auto", "auto", 1, 4, 16),
    targetMs: between(500, 30_000),
    optimizerMs: between(3000, 120_000),
    noise: pick(0.1, 0.4, 0.8, 1.2),
    slots,
    resumedAt: pick(undefined, undefined, undefined, 0.2, 0.6),
    isWarm: pick(true, false, false),
    held: pick(1, 2, 3, 4, 8),
    slower: pick(undefined, undefined, undefined, { after: count(30, 300), times: 3 }),
  };
  const words = [
    settings.gate === "rules" ? `rules, lag ${settings.lag}` : "strict",
    `${tasks.train}/${tasks.val}/${tasks.test} × ${settings.epochs}`,
    `${drawn.concurrency} at a time${slots === undefined ? "" : `, ${slots} slots`}`,
    `${Math.round(drawn.targetMs / 100) / 10}/${Math.round(drawn.optimizerMs / 1000)} s ± ${drawn.noise}`,
    ...(drawn.resumedAt === undefined ? [] : [`resumed at ${drawn.resumedAt}`]),
    ...(drawn.isWarm ? ["warm"] : []),
    ...(drawn.held === 8 ? ["nothing to learn"] : []),
    ...(drawn.slower === undefined ? [] : ["slower later"]),
  ];
  return { name: words.join(", "), ...drawn };
}
