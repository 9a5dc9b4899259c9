import { hashJson, sqliteJournal } from "../src/ports.ts";
import { type Latency, hiddenRuleWorld } from "../src/testing/index.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import { readExport } from "../test/support/kill-run.ts";
import { type RecordedCall, recordRun } from "./support/recorded-run.ts";
import { scriptedRun } from "../test/support/scripted-run.ts";
import { startServerProcess } from "./support/server-process.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "work begun ahead takes at most 0.6 of skillrl's wall time where the optimizer is slow, and changes no decision";

/** `research/rivals-measured.md`: this work, 64 workers, latencies as below. */
const skillrlSeconds = 193;
const goal = 0.6;
const latency = { medianMs: 500, sigma: 0.6, optimizerTimes: 4 };
const inFlight = 64;

/** The work that the rivals were measured on. */
const work = { rules: 12, passWith: 0.92, passWithout: 0.25, noteLength: 1500 } as const;
const rulesHeld = 4;
const sizes = { train: 200, val: 100, test: 100 };

/** Options: `--seed n`, `--seeds n`, `--share x`; `--target-ms n` gives every reply of the target the same short time. */
export default async function speculation({ log, short, args }: ProofOptions): Promise<ProofResult> {
  const first = numberOption(args, "seed", 1);
  const seeds = Array.from({ length: numberOption(args, "seeds", short ? 2 : 6) }, (_, at) => first + at);
  const share = numberOption(args, "share", 0.4);
  // the short form is the same in faster motion: every latency, and what it is compared with
  const speed = short ? 5 : 1;
  const targetMs = args.includes("--target-ms") ? numberOption(args, "target-ms", 0) : undefined;
  log(
    `${work.rules} rules, the skill holds ${rulesHeld}, ${JSON.stringify(sizes)}, 2 epochs, batch 40, strict gate, ${inFlight} in flight`,
  );
  log(
    `replies: lognormal, median ${latency.medianMs / speed} ms, sigma ${latency.sigma}; the optimizer ${latency.optimizerTimes} x slower`,
  );
  if (targetMs !== undefined) log(`but the target answers in ${targetMs} ms: what is left is the optimizer`);
  log(
    `skillrl takes ${skillrlSeconds / speed} s. "≤ 1": seconds with at most one call in flight; "opt": with`,
  );
  log("calls of the optimizer alone, which wait for one another and which nothing can shorten");
  log("");
  log("seed  run     seconds  of skillrl    ≤ 1    opt  calls    spend  wasted       decisions and files");
  const rows: Row[] = [];
  for (let at = 0; at < seeds.length; at += seedsAtOnce) {
    const wave = seeds
      .slice(at, at + seedsAtOnce)
      .map(async (seed) => compare(seed, { speed, share, targetMs }));
    for (const row of await Promise.all(wave)) {
      rows.push(row);
      log(lineOf(row.seed, "plain", row.plain, speed, ""));
      log(lineOf(row.seed, "ahead", row.ahead, speed, row.same ? "the same" : "OTHER"));
    }
  }
  const mean = (of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const ratio = (mean(({ ahead }) => ahead.seconds) * speed) / skillrlSeconds;
  const plainRatio = (mean(({ plain }) => plain.seconds) * speed) / skillrlSeconds;
  const wasted = mean(({ ahead }) => ahead.wasted / ahead.nanoUsd);
  const mostWasted = Math.max(...rows.map(({ ahead }) => ahead.wasted / ahead.nanoUsd));
  const same = rows.every((row) => row.same);
  log("");
  log(
    `on average ${ratio.toFixed(3)} of skillrl, ${plainRatio.toFixed(3)} without; ${percent(wasted)} of the spend wasted, ${percent(mostWasted)} at most (bound ${percent(share)})`,
  );
  const holds = same && mostWasted <= share;
  return {
    // with another target it is another work
    ok: targetMs === undefined && ratio <= goal && holds,
    onlyLate: holds,
    figures: {
      share,
      ofSkillrl: round(ratio),
      plainOfSkillrl: round(plainRatio),
      optimizerAloneOfSkillrl: round((mean(({ plain }) => plain.optimizerSeconds) * speed) / skillrlSeconds),
      wastedShare: round(wasted),
      mostWastedShare: round(mostWasted),
      same,
      aheadSeconds: rows.map(({ ahead }) => round(ahead.seconds)),
      plainSeconds: rows.map(({ plain }) => round(plain.seconds)),
    },
  };
}

/** Runs wait, so several at a time do not disturb one another. */
const seedsAtOnce = 3;

interface Row {
  readonly seed: number;
  readonly plain: Execution;
  readonly ahead: Execution;
  readonly same: boolean;
}

interface Conditions {
  readonly speed: number;
  readonly share: number;
  readonly targetMs: number | undefined;
}

async function compare(seed: number, conditions: Conditions): Promise<Row> {
  const [plain, ahead] = await Promise.all([
    execute(seed, { ...conditions, share: 0 }),
    execute(seed, conditions),
  ]);
  return { seed, plain, ahead, same: plain.hash === ahead.hash };
}

function lineOf(seed: number, name: string, run: Execution, speed: number, verdict: string): string {
  const waste = run.wasted === 0 ? "" : `${formatUsd(run.wasted)} ${percent(run.wasted / run.nanoUsd)}`;
  return [
    String(seed).padStart(4),
    name,
    run.seconds.toFixed(1).padStart(8),
    ((run.seconds * speed) / skillrlSeconds).toFixed(3).padStart(11),
    run.idleSeconds.toFixed(1).padStart(6),
    run.optimizerSeconds.toFixed(1).padStart(6),
    String(run.calls).padStart(6),
    formatUsd(run.nanoUsd).padStart(8),
    waste.padEnd(12),
    verdict,
  ].join(" ");
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const round = (value: number): number => Math.round(value * 1000) / 1000;

interface Execution {
  readonly seconds: number;
  readonly calls: number;
  readonly nanoUsd: number;
  readonly wasted: number;
  /** Of every exported file. */
  readonly hash: string;
  readonly idleSeconds: number;
  readonly optimizerSeconds: number;
}

async function execute(seed: number, { speed, share, targetMs }: Conditions): Promise<Execution> {
  const options = { seed, ...work };
  const world = hiddenRuleWorld(options);
  const skewed = (times: number): Latency => ({
    kind: "lognormal",
    medianMs: (latency.medianMs * times) / speed,
    sigma: latency.sigma,
  });
  await using server = await startServerProcess({
    seed,
    world: options,
    latencies: {
      "target-1": targetMs === undefined ? skewed(1) : { kind: "fixed", ms: targetMs },
      "optimizer-1": skewed(latency.optimizerTimes),
    },
  });
  using folder = temporaryDirectory("speculation");
  const out = `${folder.path}/export`;
  const journal = await sqliteJournal({ dir: folder.path });
  const { calls, ms, run } = await recordRun(
    scriptedRun({
      url: server.url,
      skill: world.seedSkill(rulesHeld),
      splits: world.splits(sizes),
      settings: { seed, epochs: 2, batchSize: 40 },
      rest: { journalDir: folder.path, out, concurrency: inFlight, speculate: share },
    }),
    journal,
  );
  await journal.close();
  return {
    seconds: ms / 1000,
    calls: calls.length,
    nanoUsd: run.spent.nanoUsd,
    wasted: run.ahead?.wasted.nanoUsd ?? 0,
    hash: hashJson(Object.fromEntries(readExport(out))),
    ...idleTimes(calls),
  };
}

/** From the first call to the last: at most one in flight; some of the optimizer and none of the target. */
function idleTimes(calls: readonly RecordedCall[]): Pick<Execution, "idleSeconds" | "optimizerSeconds"> {
  const moments = calls.flatMap(({ began, ended, contract }) => {
    const isOptimizer = contract !== undefined;
    return [
      { at: began, by: 1, isOptimizer },
      { at: ended, by: -1, isOptimizer },
    ];
  });
  let [target, optimizer, since, idle, alone] = [0, 0, Number.NaN, 0, 0];
  for (const { at, by, isOptimizer } of moments.toSorted((a, b) => a.at - b.at)) {
    const ms = Number.isNaN(since) ? 0 : at - since;
    if (target + optimizer <= 1) idle += ms;
    if (target === 0 && optimizer > 0) alone += ms;
    if (isOptimizer) optimizer += by;
    else target += by;
    since = at;
  }
  return { idleSeconds: idle / 1000, optimizerSeconds: alone / 1000 };
}

const formatUsd = (nanoUsd: number): string => `$${(nanoUsd / 1e9).toPrecision(3)}`;
