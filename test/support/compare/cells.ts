import { remembered } from "../../../src/core/remembered.ts";
import { firstBar } from "../../../src/core/gate/claim/account.ts";
import { overTasksP } from "../../../src/core/gate/claim/claim-p.ts";
import type { FinishedPair } from "../../../src/core/gate/claim/claim-pair.ts";
import { claimTrials } from "../../../src/core/gate/claim/claim-trials.ts";
import { claimWord } from "../../../src/core/gate/claim/claim-verdict.ts";
import { textBars } from "../../../src/core/gate/claim/max-t.ts";
import {
  drawNormal,
  drawOdds,
  oddsShift,
  passRate,
  taskModel,
} from "../../../src/core/gate/claim/task-model.ts";
import { sumsOf } from "../../../src/core/measure/claim-figures.ts";
import type { AskedRow } from "../../../src/core/measure/task-accounts.ts";
import { seededRandom, shuffle } from "../../../src/core/random.ts";
import { ask, barsAt, taskFile } from "../edit-run.ts";
import type { Counts } from "../share-repetitions.ts";

interface Size {
  readonly name: string;
  readonly tasks: number;
  readonly trials: number;
}

/** One cell of the proof. */
export type CompareCell = Size &
  (
    | {
        /** So many worthless texts in one `compare`. */
        readonly kind: "texts";
        readonly texts: number;
        /** How often a task is passed, on average. @default 0.5 */
        readonly baseline?: number;
        /** By how much a text moves single tasks, in logits; nothing on average. @default 0 */
        readonly luck?: number;
      }
    /** Ten trainings, which read a third of the file, and twenty compares, which read all of it, in random order; all worthless. */
    | { readonly kind: "mixed"; readonly luck?: number }
    /**
     * A gain that a bar of 5% shows in 95 of 100 cases, in trainings: at the first read, and at the eleventh, when nothing was
     * found. Trials follow the bar, as they do in a training.
     */
    | { readonly kind: "reads" }
    /** A hundred harmless pull requests in a row, and one with a gain of 25 points. */
    | { readonly kind: "pull-requests" }
  );

export const compareCells: readonly CompareCell[] = [
  ...[12, 30].flatMap((texts) => [
    { kind: "texts", name: `${texts} texts, 20 × 3`, tasks: 20, trials: 3, texts } as const,
    { kind: "texts", name: `${texts} texts, 40 × 3`, tasks: 40, trials: 3, texts } as const,
    { kind: "texts", name: `${texts} texts, 100 × 1`, tasks: 100, trials: 1, texts } as const,
  ]),
  {
    kind: "texts",
    name: "30 texts, 40 × 3, one task in ten is passed",
    tasks: 40,
    trials: 3,
    texts: 30,
    baseline: 0.1,
  },
  {
    kind: "texts",
    name: "30 texts, 40 × 3, each moves single tasks",
    tasks: 40,
    trials: 3,
    texts: 30,
    luck: 1,
  },
  { kind: "mixed", name: "ten trainings and twenty compares, 60 × 3", tasks: 60, trials: 3 },
  { kind: "mixed", name: "the same, each text moves single tasks", tasks: 60, trials: 3, luck: 1 },
  ...[20, 40, 100].map(
    (tasks) =>
      ({
        kind: "reads",
        name: `a gain after ten reads, ${tasks} tasks`,
        tasks,
        trials: trialsAt(tasks, 0.05),
      }) as const,
  ),
  {
    kind: "pull-requests",
    name: "a hundred pull requests, 40 tasks",
    tasks: 40,
    trials: trialsAt(40, firstBar(0.05)),
  },
];

function trialsAt(tasks: number, alpha: number): number {
  return claimTrials({ tasks, alpha, settings: { claimTrials: "auto", seed: 42 } });
}

export async function runRepetition(cell: CompareCell, repetition: number, seed: number): Promise<Counts> {
  const random = seededRandom("compare", seed, repetition, cell.name);
  switch (cell.kind) {
    case "texts":
      return compareTexts(cell, random);
    case "mixed":
      return askMixed(cell, random);
    case "reads":
      return readAgain(cell, random);
    case "pull-requests":
      return pushOften(cell, random);
  }
}

type CellOf<Kind> = Extract<CompareCell, { kind: Kind }>;

interface World {
  readonly odds: readonly number[];
  readonly luck: number;
  readonly trials: number;
  readonly random: () => number;
}

/** Tasks of one file. */
function worldOf({ tasks, trials }: Size, random: () => number, { baseline = 0.5, luck = 0 } = {}): World {
  const model = taskModel({ baseline, flipRate: baseline === 0.5 ? 0.3 : 0.1 });
  return { odds: Array.from({ length: tasks }, () => drawOdds(model, random)), luck, trials, random };
}

/** A new text and the baseline on them, side by side; `shift` is what the text truly adds, in logits. */
const pairsOf = ({ odds, luck, trials, random }: World, shift = 0): FinishedPair[] =>
  odds.map((own) => {
    const arm = (chance: number) => Array.from({ length: trials }, () => (random() < chance ? 1 : 0));
    const moved = luck === 0 ? 0 : luck * drawNormal(random);
    return { incumbent: arm(passRate(own)), candidate: arm(passRate(own + shift + moved)) };
  });

/** All of them are one question, so a single false word counts once. */
function compareTexts({ texts, baseline, luck, ...size }: CellOf<"texts">, random: () => number): Counts {
  const world = worldOf(size, random, { baseline, luck });
  const all = Array.from({ length: texts }, () => pairsOf(world));
  const bars = textBars(all.map(sumsOf), firstBar(0.05));
  const words = all.map((pairs, at) => claimWord(pairs, { alpha: bars[at] ?? 0 }).word);
  const has = (word: string) => (words.some((one) => one === word) ? 1 : 0);
  const alone = all.some((pairs) => overTasksP(pairs) <= firstBar(0.05));
  return { runs: 1, better: has("better"), worse: has("worse"), counted: alone ? 1 : 0 };
}

function askMixed({ luck, ...size }: CellOf<"mixed">, random: () => number): Counts {
  const world = worldOf(size, random, { luck });
  const third = Math.floor(size.tasks / 3);
  const file = taskFile(size.tasks, 1, "mixed");
  const earlier: AskedRow[] = [];
  const words = shuffle(
    Array.from({ length: 30 }, (_, at) => at),
    random,
  ).map((at) => {
    const taken = at < 10 ? third : size.tasks;
    const bar = ask(earlier, { id: `text ${at}`, tasks: file.slice(0, taken), file });
    return claimWord(pairsOf({ ...world, odds: world.odds.slice(0, taken) }), barsAt(bar)).word;
  });
  const count = (word: string) => words.filter((one) => one === word).length;
  return { runs: 1, better: count("better") > 0 ? 1 : 0, asked: 30, worse: count("worse") };
}

/** What one claim in twenty misses at a bar of 5%. */
const shiftShown95 = remembered(({ tasks, trials }: Pick<Size, "tasks" | "trials">): number => {
  const model = taskModel({ baseline: 0.5, flipRate: 0.3 });
  const shownBy = (points: number) => {
    const random = seededRandom("shown", tasks, trials);
    const shift = oddsShift(model, points);
    const claims = Array.from({ length: 2000 }, () =>
      overTasksP(pairsOf(worldOf({ name: "", tasks, trials }, random), shift)),
    );
    return claims.filter((p) => p <= 0.05).length / claims.length;
  };
  let [low, high] = [0.02, 0.4];
  for (let step = 0; step < 8; step += 1) {
    const middle = (low + high) / 2;
    if (shownBy(middle) < 0.95) low = middle;
    else high = middle;
  }
  return oddsShift(model, high);
});

function readAgain(cell: CellOf<"reads">, random: () => number): Counts {
  const { tasks, trials } = cell;
  const shift = shiftShown95({ tasks, trials });
  const bars = barsOverTime({ tasks, questions: 11, memory: "lasts" });
  const isShown = (alpha: number) => {
    const world = worldOf({ ...cell, trials: trialsAt(tasks, alpha) }, random);
    return overTasksP(pairsOf(world, shift)) <= alpha ? 1 : 0;
  };
  const [first = { alpha: 0 }, eleventh = first] = [bars[0], bars[10]];
  return { runs: 1, fresh: isShown(0.05), first: isShown(first.alpha), eleventh: isShown(eleventh.alpha) };
}

/** What each of so many questions in a row is held to. */
const barsOverTime = remembered(
  ({
    tasks,
    questions,
    memory,
  }: {
    readonly tasks: number;
    readonly questions: number;
    readonly memory: "lasts" | "fades";
  }) => {
    const earlier: AskedRow[] = [];
    const file = taskFile(tasks, 1, "questions");
    return Array.from({ length: questions }, (_, at) =>
      barsAt(ask(earlier, { id: `text ${at}`, tasks: file, memory })),
    );
  },
);

const pushes = 100;

function pushOften(cell: CellOf<"pull-requests">, random: () => number): Counts {
  const world = worldOf(cell, random);
  const bars = barsOverTime({ tasks: cell.tasks, questions: pushes + 1, memory: "fades" });
  const words = bars.slice(0, pushes).map((bar) => claimWord(pairsOf(world), bar).word);
  const model = taskModel({ baseline: 0.5, flipRate: 0.3 });
  const last = claimWord(pairsOf(world, oddsShift(model, 0.25)), bars[pushes] ?? { alpha: 0 }).word;
  const count = (word: string) => words.filter((one) => one === word).length;
  return {
    runs: 1,
    asked: pushes,
    worse: count("worse"),
    falseBetter: count("better"),
    better: count("better") > 0 ? 1 : 0,
    found: last === "better" ? 1 : 0,
  };
}

/** Of a first look. */
export const firstPercent = `${(100 * 0.05 * firstBar(1)).toFixed(2)}%`;
