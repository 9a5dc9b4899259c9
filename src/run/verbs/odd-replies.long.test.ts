import { join } from "node:path";
import { longTest } from "../../../test/support/long-test.ts";
import { oddRates } from "../../../test/support/odd-replies/odd-run.ts";
import { oddKinds, oddRoles } from "../../../test/support/odd-replies/odd-world.ts";
import type { OddPair } from "../../../test/support/odd-replies/odd-worker.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { fallsShort } from "../../../test/support/rate-bar.ts";
import { runWorkers } from "../../../test/support/run-workers.ts";

const claim =
  "Malformed replies from judge, target and optimizer never end a training for good. At a rate of 3%, at most 1% of trainings end without a result, and the same command resumes them. Nothing usable is bought twice, and the verdict doesn't depend on the number of starts.";

longTest(claim, oddReplies, ["--runs", "1"]);

/** Of the trainings that may end without a result, up to `barredRate`. */
const [most, barredRate] = [0.01, 0.03];

/**
 * Up to here no verdict may depend on the starts, and eight starts must do. Beyond it most starts end for want of replies, each next one draws once more,
 * and which stage of several at a time brings the share of missing results over its bound is a matter of time.
 */
const sameRate = 0.1;
/** Of the verdicts beyond it, and of the trainings that take more starts there. */
const mostDifferent = 0.05;

/** Options: `--runs n` (of each rate), `--seed n` (the first world). */
async function oddReplies({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const runs = numberOption(args, "runs", short ? 2 : 200);
  const seed = numberOption(args, "seed", 1);
  log(
    "14 evals with one rubric (gate strict) or two (gate rules), all defaults; an odd reply is empty, uncounted, cut, refused, prose, or without a reason for its end",
  );
  log(
    "left out: failures of the network, agents, miners, judges that are wrong when they can be understood, and odd replies that depend on what was asked: here each key draws its own",
  );
  let done = 0;
  const onLine = () => {
    done += 1;
    if (done % 100 === 0) log(`${done} of ${runs * oddRates.length} pairs`);
  };
  const lines = await runWorkers<OddPair>(
    join(import.meta.dirname, "../../../test/support/odd-replies/odd-worker.ts"),
    [0, 1].map((first) => [first, 2, runs, seed]),
    onLine,
  );
  const pairs = lines.flat();
  const cells = oddRates.map((rate) =>
    tellCell(
      rate,
      pairs.filter((pair) => pair.rate === rate),
      log,
    ),
  );
  const both = pairs.flatMap(({ alone, cut }) => [alone, cut]);
  for (const { seed: world, rate, alone, cut, isSame } of pairs) {
    for (const violation of new Set([...alone.violations, ...cut.violations]))
      log(`VIOLATION in world ${world} at ${percent(rate)}: ${violation}`);
    if (!isSame)
      log(`DIFFERENT in world ${world} at ${percent(rate)}: ${[...alone.ends, "/", ...cut.ends].join(", ")}`);
  }
  const seen = new Set(both.flatMap(({ odd }) => Object.keys(odd)));
  const unseen = oddRoles
    .flatMap((role) => oddKinds.map((kind) => `${role} ${kind}`))
    .filter((name) => !seen.has(name));
  const [same, beyond] = [
    pairs.filter(({ rate }) => rate <= sameRate),
    pairs.filter(({ rate }) => rate > sameRate),
  ];
  const figures = {
    pairs: pairs.length,
    seed,
    starts: both.reduce((sum, { ends }) => sum + ends.length, 0),
    calls: both.reduce((sum, { calls }) => sum + calls, 0),
    withoutResult: Object.fromEntries(cells.map(({ rate, hits }) => [percent(rate), hits])),
    shortCells: cells.filter(({ isShort }) => isShort).map(({ rate }) => percent(rate)),
    stuck: stuckIn(same),
    stuckBeyond: stuckIn(beyond),
    boughtTwice: both.reduce((sum, { violations }) => sum + violations.length, 0),
    boughtByOneOnly: same.reduce((sum, { boughtOnce }) => sum + boughtOnce, 0),
    differentVerdicts: same.filter(({ isSame }) => !isSame).length,
    differentBeyond: beyond.filter(({ isSame }) => !isSame).length,
    neverSeen: short ? [] : unseen,
  };
  log(
    `${figures.starts} starts of ${both.length} trainings: ${figures.stuck} stuck (beyond ${percent(sameRate)} ${figures.stuckBeyond}), ${figures.boughtTwice} violations, ${figures.differentVerdicts} of ${same.length} verdicts depend on the starts, beyond ${percent(sameRate)} ${figures.differentBeyond} of ${beyond.length}`,
  );
  const ok =
    pairs.length === runs * oddRates.length &&
    figures.shortCells.length + figures.stuck + figures.boughtTwice + figures.boughtByOneOnly === 0 &&
    figures.differentVerdicts + figures.neverSeen.length === 0 &&
    !fallsShort({ hits: figures.differentBeyond, trials: beyond.length }, { most: mostDifferent }, 2) &&
    !fallsShort({ hits: figures.stuckBeyond, trials: 2 * beyond.length }, { most: mostDifferent }, 2);
  return { ok, figures };
}

const stuckIn = (pairs: readonly OddPair[]): number =>
  pairs.flatMap(({ alone, cut }) => [alone, cut]).filter(({ isDone }) => !isDone).length;

/** How many trainings of a rate end without a result in their first start, when nobody stops them. */
function tellCell(rate: number, pairs: readonly OddPair[], log: (line: string) => void) {
  const early = pairs.filter(({ alone }) => alone.ends.length > 1);
  const counts = { hits: early.length, trials: pairs.length };
  const isBarred = rate <= barredRate;
  const barred = oddRates.filter((one) => one <= barredRate).length;
  const isShort = isBarred && fallsShort(counts, { most }, barred);
  const runs = pairs.map(({ alone }) => alone);
  const replies = runs.reduce((sum, { calls }) => sum + calls, 0);
  const odd = runs.reduce((sum, one) => sum + Object.values(one.odd).reduce((all, nth) => all + nth, 0), 0);
  const ends = Object.entries(Object.groupBy(early, ({ alone }) => alone.ends[0] ?? ""));
  const mostStarts = Math.max(0, ...runs.map(({ ends: { length } }) => length));
  log(
    `${percent(rate)}: ${counts.hits} of ${counts.trials} ended without a result${isBarred ? ` (bar ${percent(most)}${isShort ? ": SHORT" : ""})` : ""}; ${odd} of ${replies} replies were odd, ${mostStarts} starts at most; ${ends.map(([end, own]) => `${own?.length} ${end}`).join(", ") || "none stopped"}`,
  );
  return { rate, ...counts, isShort };
}

const percent = (share: number): string => `${Math.round(1000 * share) / 10}%`;
