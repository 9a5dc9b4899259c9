import { join } from "node:path";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { type Life, live } from "./two-weeks/life.ts";
import { type RoughLife, liveRoughly } from "./two-weeks/rough-life.ts";
import { recordTalks } from "./two-weeks/record.ts";
import { type Recording, readRecordings } from "./two-weeks/scene.ts";

export const claim =
  "Two weeks of a developer with five habits are recorded with the real Claude Code and Codex. By the third night 4 of 5 habits are offered, with at most 1.2 wordings each, and no dropped one comes back. Three of 5 work on their tasks by night 14 and are proven by night 42, and at most 10% of useless wordings work. A second person changes their mind, jokes and takes things back, and their miner paraphrases and breaks JSON. Then opposites never become one wish, no night gets stuck, at most one unwanted rule waits at the end, and 90% of lasting corrections are counted.";

const recorded = join(import.meta.dirname, "../test/fixtures/two-weeks");

/** Findings of the audit of version 0.1.0 about the original on the same history. */
const original =
  "The original (bdfdc30) on the same history accepts nothing in 14 daily nights (2 seeds). With all in one night it accepts 4-7 rules for 4-5 of 5 habits, useless ones in 2 of 5 seeds";

export default async function proveTwoWeeks({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seeds = numberOption(args, "seeds", short ? 1 : 10);
  const first = numberOption(args, "first", 201);
  const nights = numberOption(args, "nights", short ? 14 : 42);
  const noise = numberOption(args, "noise", short ? 0.1 : -1);
  const noises = noise < 0 ? [0, 0.1, 0.25] : [noise];
  const recordings = await findRecordings(args.includes("--record"), log);
  log(
    "world: a careful miner, a target that obeys what it reads, an optimizer that words well in 85% of cases;",
  );
  log(
    "nothing is adopted, so the habits continue; weeks 3 to 6 have other requests in the files of recorded talks.",
  );
  log("Not covered: real models, tasks with wrong checks.");
  log(original);
  const rough: RoughLife[] = [];
  for (let seed = first; seed < first + seeds && !args.includes("--careful"); seed += 1) {
    const life = await liveRoughly(seed, 0.1);
    rough.push(life);
    const { unwanted, ...facts } = life;
    log(
      `rough person, rough miner, seed ${seed}: ${roughText(facts)}; unwanted: ${unwanted.join(" | ") || "none"}`,
    );
  }
  const cells: { readonly noise: number; readonly lives: readonly Life[] }[] = [];
  for (const each of args.includes("--rough") ? [] : noises) {
    const lives: Life[] = [];
    for (let seed = first; seed < first + seeds; seed += 1) {
      const life = await live({ seed, noise: each, nights, recordings });
      lives.push(life);
      log(
        `noise ${each} seed ${seed}: offered ${life.offered}, ${life.wordings.toFixed(2)} wordings, back ${life.back} of ${life.dropped}, works ${life.works}, proven ${life.proven}, false ${life.falselyWorks}/${life.falselyProven} of ${life.useless}, ${life.calls} calls${life.strange.length === 0 ? "" : `, strange: ${life.strange.join(" | ")}`}`,
      );
    }
    cells.push({ noise: each, lives });
  }
  // the bars are for a tenth of the answers
  const judged = cells.find((cell) => cell.noise === 0.1)?.lives;
  const problems = [
    ...(judged === undefined ? [] : shortfalls(judged, nights >= 42)),
    ...(rough.length === 0 ? [] : roughShortfalls(rough)),
  ];
  for (const problem of problems) log(`NOT: ${problem}`);
  return {
    ok: problems.length === 0,
    figures: {
      seeds,
      first,
      nights,
      cells: cells.map((cell) => ({ noise: cell.noise, ...meansOf(cell.lives) })),
      ...(rough.length === 0
        ? {}
        : {
            rough: {
              opposites: sumOf(rough, ({ opposites }) => opposites),
              stuck: sumOf(rough, ({ stuck }) => stuck),
              unwanted: mean(rough.map(({ unwanted }) => unwanted.length)),
              counted: sumOf(rough, ({ counted }) => counted),
              lasting: sumOf(rough, ({ lasting }) => lasting),
              turns: sumOf(rough, ({ turns }) => turns),
              followed: sumOf(rough, ({ followed }) => followed),
              calls: mean(rough.map(({ calls }) => calls)),
            },
          }),
      problems: [...problems],
    },
  };
}

async function findRecordings(anew: boolean, log: (line: string) => void): Promise<readonly Recording[]> {
  if (!anew) return readRecordings(recorded);
  using work = temporaryDirectory("two-weeks-record");
  const folder = join(work.path, "recorded");
  await recordTalks(work.path, folder, log);
  return readRecordings(folder);
}

const roughText = (life: Omit<RoughLife, "unwanted">): string =>
  `opposites ${life.opposites}, stuck ${life.stuck}, counted ${life.counted} of ${life.lasting}, changes followed ${life.followed} of ${life.turns}, ${life.calls} calls`;

const sumOf = (lives: readonly RoughLife[], pick: (life: RoughLife) => number): number =>
  lives.reduce((sum, life) => sum + pick(life), 0);

/** The bars of the second person. A change or a correction may be missed where the grouping or the miner missed it. */
function roughShortfalls(lives: readonly RoughLife[]): readonly string[] {
  const of = (pick: (life: RoughLife) => number) => sumOf(lives, pick);
  const unwanted = of(({ unwanted: rules }) => rules.length) / lives.length;
  const [counted, lasting] = [of((life) => life.counted), of((life) => life.lasting)];
  return [
    ...(of(({ opposites }) => opposites) === 0 ? [] : ["opposites in one wish"]),
    ...(of(({ stuck }) => stuck) === 0 ? [] : ["nights that ended with an error"]),
    ...(unwanted <= 1 ? [] : [`unwanted rules at the end: ${unwanted.toFixed(2)}, at most 1 allowed`]),
    ...(of(({ followed }) => followed) >= 0.9 * of(({ turns }) => turns)
      ? []
      : ["changes and withdrawals that the next night didn't follow"]),
    ...(counted >= 0.9 * lasting ? [] : [`corrections counted: ${counted} of ${lasting}, threshold 90%`]),
  ];
}

const meansOf = (lives: readonly Life[]) => {
  const of = (pick: (life: Life) => number) => mean(lives.map(pick));
  return {
    offered: of(({ offered }) => offered),
    wordings: of(({ wordings }) => wordings),
    back: of(({ back }) => back),
    works: of(({ works }) => works),
    proven: of(({ proven }) => proven),
    useless: of(({ useless }) => useless),
    falselyWorks: of(({ falselyWorks }) => falselyWorks),
    falselyProven: of(({ falselyProven }) => falselyProven),
    calls: of(({ calls }) => calls),
  };
};

/** Targets missed by more than three standard errors. */
function shortfalls(lives: readonly Life[], isLong: boolean): readonly string[] {
  const found: string[] = [];
  const hold = (what: string, values: readonly number[], bar: number, side: 1 | -1) => {
    const average = mean(values);
    const error = Math.sqrt(mean(values.map((value) => (value - average) ** 2)) / values.length);
    if (side * (bar - average) > 3 * error) found.push(`${what}: ${average.toFixed(2)}, bar ${bar}`);
  };
  hold(
    "habits offered by the third night",
    lives.map(({ offered }) => offered),
    4,
    1,
  );
  hold(
    "wordings per habit",
    lives.map(({ wordings }) => wordings),
    1.2,
    -1,
  );
  hold(
    "dropped and back",
    lives.map(({ back }) => back),
    0,
    -1,
  );
  // how many wordings are good is random: one or two lives say nothing about the mean
  if (lives.length >= 3)
    hold(
      "habits that work by night 14",
      lives.map(({ works }) => works),
      3,
      1,
    );
  if (isLong && lives.length >= 3)
    hold(
      "habits proven by night 42",
      lives.map(({ proven }) => proven),
      3,
      1,
    );
  const useless = lives.reduce((sum, life) => sum + life.useless, 0);
  const working = lives.reduce((sum, life) => sum + life.falselyWorks, 0);
  if (working > 1 && working / useless > 0.1)
    found.push(`useless wordings that work: ${working} of ${useless}`);
  return found;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
