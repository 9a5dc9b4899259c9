import type { Range } from "../src/core/rehearse/range.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";
import type { PlanReport } from "./support/plan-case.ts";
import { runWorkers } from "./support/run-workers.ts";

export const claim =
  "Once the journal knows the models from one short run, the price of a run lies in the range that `plan` states in at least 90 % of runs, with upper/lower at most 3.";

const [enough, widest] = [0.9, 3];

export default async function plan({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const runs = numberOption(args, "runs", short ? 24 : 40);
  const seed = numberOption(args, "seed", 12_000);
  log(`${runs} runs with drawn worlds, sizes and settings; seed ${seed}; real HTTP`);
  log(
    "cold: the journal knows nothing of the models; warm: after one short run of theirs (8 train, 8 val, other tasks)",
  );
  const lines = await runWorkers<PlanReport>("plan-worker.ts", [
    [1, 2, runs, seed],
    [2, 2, runs, seed],
  ]);
  const reports = lines.flat().toSorted((a, b) => a.nth - b.nth);
  log("");
  log("run  price in USD   stated warm          stated cold          calls (stated warm)   settings");
  for (const { nth, nanoUsd, calls, warm, cold, settings } of reports) {
    const marks = `${mark(nanoUsd, warm.price)} ${mark(nanoUsd, cold.price)}`;
    log(
      `${String(nth).padStart(3)}  ${usd(nanoUsd)} ${marks}   ${shown(warm.price)}   ${shown(cold.price)}   ${calls} (${Math.round(warm.calls.low)}–${Math.round(warm.calls.high)})   ${settings}`,
    );
  }
  const figures = { warm: judge(reports, "warm"), cold: judge(reports, "cold") };
  log("");
  for (const [name, { within, widestRatio, meanRatio, callsWithin }] of Object.entries(figures)) {
    log(
      `${name}: price in its range in ${within} of ${runs} runs, calls in ${callsWithin}; upper/lower at most ${widestRatio}, ${meanRatio} on average`,
    );
  }
  const holds = ({ within, widestRatio }: Judged) => within >= enough * runs && widestRatio <= widest;
  return {
    // of models that nobody has heard the length of replies is a guess: shown, and not claimed
    ok: reports.length === runs && holds(figures.warm),
    figures: { runs, seed, warm: { ...figures.warm }, cold: { ...figures.cold } },
  };
}

interface Judged {
  readonly within: number;
  readonly callsWithin: number;
  readonly widestRatio: number;
  readonly meanRatio: number;
  readonly below: number;
  readonly above: number;
}

function judge(reports: readonly PlanReport[], when: "warm" | "cold"): Judged {
  const ratios = reports.map((report) => report[when].price.high / report[when].price.low);
  return {
    within: reports.filter((report) => isWithin(report.nanoUsd, report[when].price)).length,
    callsWithin: reports.filter((report) => isWithin(report.calls, report[when].calls)).length,
    widestRatio: round(Math.max(...ratios)),
    meanRatio: round(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length),
    below: reports.filter((report) => report.nanoUsd < report[when].price.low).length,
    above: reports.filter((report) => report.nanoUsd > report[when].price.high).length,
  };
}

const isWithin = (value: number, { low, high }: Range): boolean => low <= value && value <= high;
const mark = (value: number, { low, high }: Range): string => (value < low ? "<" : value > high ? ">" : "·");
const usd = (nanoUsd: number): string => (nanoUsd / 1e9).toFixed(4);
const shown = ({ low, high }: Range): string => `${usd(low)}–${usd(high)} (${(high / low).toFixed(1)})`;
const round = (value: number): number => Math.round(value * 100) / 100;
