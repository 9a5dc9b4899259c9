import { join } from "node:path";
import { alignedTable } from "../../../test/support/aligned-table.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { topicCells } from "../../../test/support/rules/topic-worlds.ts";
import { type Counts, shareRepetitions } from "../../../test/support/share-repetitions.ts";

const claim =
  "The table of rules is true: its chances, intervals and promises hold in worlds that nothing was tuned on.";

longTest(claim, worth, ["--seeds", "2", "--every", "3"]);

const sizes = [10, 30, 100] as const;

async function worth({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 40_001);
  const seeds = numberOption(args, "seeds", short ? 2 : 100);
  const every = numberOption(args, "every", 1);
  const cells = topicCells.filter((_, at) => at % every === 0);
  log(`${cells.length} cells, ${seeds} seeds from ${seed} (--seed, --seeds, --every <nth cell>, --workers)`);
  log("Left out: rules by a real model, several checks to a task, targets that change during a run.");
  const counts = await shareRepetitions({
    script: join(import.meta.dirname, "../../../test/support/rules/worth-worker.ts"),
    cells: cells.length,
    repetitions: seeds,
    workers: numberOption(args, "workers", 1),
    seed,
    options: [every],
    onCell: () => undefined,
  });
  const of = (one: Counts | undefined, name: string) => one?.[name] ?? 0;
  const figures = sizes.map((size): SizeFigures => {
    const own = counts.filter((_, at) => cells[at]?.tasks === size);
    const tenths = Array.from({ length: 10 }, (_, tenth) => tenthOf(own, tenth));
    const misses = own.map((one) => of(one, "error") / seeds);
    const missErrors = own.map((one) => errorOf(of(one, "error"), of(one, "errorSquares"), seeds));
    const covered = own.map((one) => of(one, "covered") / Math.max(of(one, "rules"), 1));
    const sum = (name: string) => total(own.map((one) => of(one, name)));
    return {
      size,
      tenths,
      covered: mean(covered),
      coveredLeast: Math.min(...covered),
      gain: mean(own.map((one) => of(one, "gain") / seeds)),
      full: mean(own.map((one) => of(one, "full") / seeds)),
      lean: mean(own.map((one) => of(one, "lean") / seeds)),
      below: sum("below") / (seeds * own.length),
      miss: mean(misses),
      missError: Math.hypot(...missErrors) / Math.max(own.length, 1),
      missMost: misses.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0),
      shown: sum("shown") + sum("shownIdle"),
      shownIdle: sum("shownIdle") / Math.max(sum("shown") + sum("shownIdle"), 1),
      largeShown: sum("largeShown") / Math.max(sum("largeShown") + sum("largeOpen"), 1),
      idleOffers: of(counts[cells.findIndex(({ name }) => name === `nothing n=${size}`)], "offers") / seeds,
    };
  });
  for (const line of chanceTable(figures)) log(line);
  for (const line of promiseTable(figures)) log(line);
  const shortfalls = short ? [] : figures.flatMap(shortfallsOf);
  for (const one of shortfalls) log(`SHORT: ${one}`);
  // of a few runs only what none of them may do
  const isSane = figures.every(({ covered, missMost }) => covered > 0.8 && Math.abs(missMost) < 25);
  return { ok: short ? isSane : shortfalls.length === 0, figures: { seed, seeds, figures, shortfalls } };
}

type Tenth = {
  readonly rules: number;
  readonly stated: number;
  readonly helped: number;
  readonly error: number;
};

type SizeFigures = {
  readonly size: number;
  readonly tenths: readonly Tenth[];
  /** Of the 95% intervals: over all worlds, and in the worst. */
  readonly covered: number;
  readonly coveredLeast: number;
  readonly gain: number;
  readonly full: number;
  readonly lean: number;
  readonly below: number;
  /** Promise less truth, in points. */
  readonly miss: number;
  readonly missError: number;
  readonly missMost: number;
  readonly shown: number;
  readonly shownIdle: number;
  readonly largeShown: number;
  readonly idleOffers: number;
};

/** Every world counts the same, and a run is one draw. */
function tenthOf(worlds: readonly Counts[], tenth: number): Tenth {
  const own = worlds.filter((one) => (one[`rules ${tenth}`] ?? 0) > 0);
  const share = (name: string) =>
    mean(own.map((one) => (one[`${name} ${tenth}`] ?? 0) / (one[`rules ${tenth}`] ?? 1)));
  return {
    rules: total(own.map((one) => one[`rules ${tenth}`] ?? 0)),
    stated: share("stated"),
    helped: share("helped"),
    error:
      Math.hypot(
        ...own.map((one) => Math.sqrt(one[`squares ${tenth}`] ?? 0) / (one[`rules ${tenth}`] ?? 1)),
      ) / Math.max(own.length, 1),
  };
}

const chanceTable = (figures: readonly SizeFigures[]): string[] =>
  alignedTable({
    title: "Chance to help as stated → share that helps (rules), by tenths of the stated chance",
    head: ["val", ...Array.from({ length: 10 }, (_, tenth) => `.${tenth}`)],
    rows: figures.map(({ size, tenths }) => [
      String(size),
      ...tenths.map(({ rules, stated, helped }) =>
        rules === 0 ? "–" : `${stated.toFixed(2)} → ${helped.toFixed(2)} (${rules})`,
      ),
    ]),
  });

const promiseTable = (figures: readonly SizeFigures[]): string[] =>
  alignedTable({
    title: "Intervals, promises and offers",
    head: [
      "val",
      "95% hold",
      "worst world",
      "gain",
      "full",
      "lean",
      "below",
      "promise − truth",
      "worst world",
      "shown",
      "idle of them",
      "≥ 5 points shown",
      "offers of nothing",
    ],
    rows: figures.map((one) => [
      String(one.size),
      percent(one.covered),
      percent(one.coveredLeast),
      one.gain.toFixed(1),
      one.full.toFixed(1),
      one.lean.toFixed(1),
      percent(one.below),
      `${one.miss.toFixed(1)} (${one.missError.toFixed(1)})`,
      one.missMost.toFixed(1),
      String(one.shown),
      percent(one.shownIdle),
      percent(one.largeShown),
      percent(one.idleOffers),
    ]),
  });

function shortfallsOf(one: SizeFigures): readonly string[] {
  const at = `val ${one.size}`;
  const bars: readonly (readonly [boolean, string])[] = [
    ...one.tenths.map(
      ({ rules, stated, helped, error }, tenth) =>
        [
          rules >= 1000 && Math.abs(stated - helped) > 0.05 + 3 * error,
          `${at}: of the chances in tenth ${tenth}, ${percent(stated)} is stated and ${percent(helped)} help`,
        ] as const,
    ),
    [one.covered < 0.93 || one.covered > 0.97, `${at}: ${percent(one.covered)} of the intervals hold`],
    [
      one.coveredLeast < 0.875,
      `${at}: ${percent(one.coveredLeast)} of the intervals hold in the worst world`,
    ],
    [Math.abs(one.miss) > 1.5 + 3 * one.missError, `${at}: promises ${one.miss.toFixed(1)} too much`],
    [Math.abs(one.missMost) > 5, `${at}: promises ${one.missMost.toFixed(1)} too much in the worst world`],
    [one.shownIdle > 0.05, `${at}: ${percent(one.shownIdle)} of the shown rules do nothing or harm`],
    [
      one.idleOffers > 0.03,
      `${at}: ${percent(one.idleOffers)} of runs without a useful rule offer something`,
    ],
    [one.below > 0.05, `${at}: ${percent(one.below)} of runs end more than a point below the original`],
  ];
  return bars.flatMap(([isMissed, words]) => (isMissed ? [words] : []));
}

const total = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
const mean = (values: readonly number[]): number => total(values) / Math.max(values.length, 1);
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

const errorOf = (all: number, squares: number, runs: number): number =>
  Math.sqrt(Math.max(squares / runs - (all / runs) ** 2, 0) / Math.max(runs - 1, 1));
