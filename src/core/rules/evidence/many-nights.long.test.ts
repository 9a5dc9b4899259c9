import { longTest } from "../../../../test/support/long-test.ts";
import {
  type Days,
  type Kind,
  type WishEnd,
  habits,
  simulateNights,
} from "../../../../test/support/many-nights/simulate-nights.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../../test/support/proof.ts";
import { fallsShort } from "../../../../test/support/rate-bar.ts";
import { mean } from "../../mean.ts";

const claim =
  "Over 42 nights with 15 wishes that each concern a fifth of the tasks, on average at most 10% of proven rules are false, even if nothing helps at all. At most 10% of useless wordings ever work.";

longTest(claim, manyNights, ["--repetitions", "3"]);

const nights = 42;
const tosses = 3;
const bar = 0.1;

const allCells = [
  ...[3, 6, 12].flatMap((conversations) =>
    [0, 0.1, 0.25].map((noise) => ({ conversations, noise, isVain: false })),
  ),
  ...[3, 6, 12].map((conversations) => ({ conversations, noise: 0.1, isVain: true })),
];
const shortCells = allCells.filter(({ conversations, noise }) => conversations < 12 && noise === 0.1);

async function manyNights({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const repetitions = numberOption(args, "repetitions", short ? 20 : 1000);
  const first = numberOption(args, "first", 50_001);
  const counts = Object.entries(Object.groupBy(habits.flat(), (kind) => kind)).map(
    ([kind, all]) => `${all?.length ?? 0} ${kind}`,
  );
  log(`five habits, 15 wishes (${counts.join(", ")}); 7 conversations in 10 hold a task, of one habit;`);
  log(
    `a task passes without a wish with a chance from 0 to .6; ${tosses} tosses of a task, ${nights} nights;`,
  );
  log("spoils: right on its own tasks, ruins half of all others; counted as false when proven.");
  log("Vain: useful ones do nothing. Left out: real models, wordings that change, wishes that are adopted,");
  log("grouping that errs, tasks whose check is wrong.");
  log(`seeds ${first} to ${first + repetitions - 1}`);
  log("");
  log(row("a day", "noise", "vain", ...heads));
  const rows = (short ? shortCells : allCells).map((cell) => tabulate(cell, first, repetitions, log));
  const isMissed = ({ falseShare, falseError, uselessWorking }: (typeof rows)[number]) =>
    falseShare > bar + 3 * falseError || fallsShort(uselessWorking, { most: bar }, rows.length);
  return { ok: !rows.some(isMissed), figures: { repetitions, first, nights, tosses, rows } };
}

const heads = [
  "works by 7, 14, 42",
  "median",
  "proven by 14, 28, 42",
  "median",
  "false share",
  "useless works",
  "mixed works",
  "rollouts a night",
];

function tabulate(
  cell: Pick<Days, "conversations" | "noise" | "isVain">,
  first: number,
  repetitions: number,
  log: ProofOptions["log"],
) {
  const ends = Array.from({ length: repetitions }, (_, nth) =>
    simulateNights({ ...cell, seed: first + nth, nights, tosses }),
  );
  const all = ends.flatMap(({ wishes }) => wishes);
  const useful = all.filter(({ kind }) => kind === "useful");
  const by = (pick: (wish: WishEnd) => number | null, night: number) =>
    useful.filter((wish) => (pick(wish) ?? Infinity) <= night).length / Math.max(useful.length, 1);
  const shares = ends.map(({ wishes }) => falsePart(wishes));
  const working = (kind: Kind) => {
    const own = all.filter((wish) => wish.kind === kind);
    return { hits: own.filter(({ works }) => works !== null).length, trials: own.length };
  };
  const figures = {
    ...cell,
    worksBy: [7, 14, 42].map((night) => by(({ works }) => works, night)),
    worksMedian: median(useful.map(({ works }) => works)),
    provenBy: [14, 28, 42].map((night) => by(({ proven }) => proven, night)),
    provenMedian: median(useful.map(({ proven }) => proven)),
    falseShare: mean(shares),
    falseError: Math.sqrt(mean(shares.map((share) => (share - mean(shares)) ** 2)) / repetitions),
    uselessWorking: working("useless"),
    mixedWorking: working("mixed"),
    rollouts: mean(ends.map(({ rollouts }) => rollouts)) / nights,
  };
  log(
    row(
      String(cell.conversations),
      String(cell.noise),
      cell.isVain ? "yes" : "no",
      figures.worksBy.map(percent).join(", "),
      String(figures.worksMedian ?? "–"),
      figures.provenBy.map(percent).join(", "),
      String(figures.provenMedian ?? "–"),
      `${percent(figures.falseShare)} ± ${percent(figures.falseError)}`,
      percent(rate(figures.uselessWorking)),
      percent(rate(figures.mixedWorking)),
      figures.rollouts.toFixed(0),
    ),
  );
  return figures;
}

/** Among what was ever proven; 0 where nothing was. */
function falsePart(wishes: readonly WishEnd[]): number {
  const proven = wishes.filter((wish) => wish.proven !== null);
  return proven.filter(({ kind }) => kind !== "useful").length / Math.max(proven.length, 1);
}

/** Of all, those that never got there last; null where that is the middle one. */
const median = (nightsOf: readonly (number | null)[]): number | null =>
  nightsOf.toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity))[Math.floor(nightsOf.length / 2)] ?? null;

const rate = ({ hits, trials }: { readonly hits: number; readonly trials: number }): number =>
  hits / Math.max(trials, 1);

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

const row = (...all: readonly string[]): string =>
  all.map((one, column) => (column < 3 ? one.padEnd(6) : one.padEnd(24))).join(" ");
