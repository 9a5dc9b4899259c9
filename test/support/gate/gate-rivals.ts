import { type SearchGate } from "./search-gate.ts";
import {
  addBlock,
  beginCandidate,
  endsWithOriginal,
  filterVerdict,
  incumbentScore,
  nextBlock,
} from "../../../src/core/gate/filter/filter.ts";
import { probeTasks, startFilter } from "../../../src/core/gate/filter/filter-state.ts";
import { toGrid } from "../../../src/core/gate/filter/grid.ts";
import { orderForStop } from "../../../src/core/gate/filter/order-for-stop.ts";
import { signFlipP } from "../../../src/core/gate/claim/sign-flip.ts";
import { referenceFilter } from "./gate-reference.ts";

/** What a rule starts from: one trial of each val task, the means to roll the incumbent again, and chance. */
export type GateMaker = (
  seedScores: readonly number[],
  rollIncumbent: (task: number) => number,
  random: () => number,
) => SearchGate;

export const searchGates = {
  /** A strictly greater mean of one trial per task. */
  strict: (seedScores) => cached(seedScores, (scores, bar) => mean(scores) > mean(bar)),
  /** The exact paired test at 0.1 against the incumbent's recorded trials. */
  test: (seedScores) =>
    cached(
      seedScores,
      (scores, bar) => signFlipP(scores.map((score, task) => toGrid(score) - toGrid(bar[task] ?? 0))) <= 0.1,
    ),
  confirm,
  reference: referenceFilter,
  filter: ourFilter,
} as const satisfies Record<string, GateMaker>;

export type GateName = keyof typeof searchGates;

function ourFilter(
  seedScores: readonly number[],
  rollIncumbent: (task: number) => number,
  random: () => number,
): SearchGate {
  let state = startFilter({ seedScores, probeScores: probeTasks(seedScores.length).map(rollIncumbent) });
  return {
    score: () => incumbentScore(state),
    endsWithOriginal: () => endsWithOriginal(state),
    judge(roll, rolloutsLeft, proposalsLeft) {
      let judging = beginCandidate(state, { rolloutsLeft, proposalsLeft, random });
      for (let block = nextBlock(judging); block.length > 0; block = nextBlock(judging)) {
        judging = addBlock(judging, block.map(roll));
      }
      const verdict = filterVerdict(judging);
      if (verdict === undefined || verdict.action === "undecided") return "stop";
      state = verdict.state;
      return verdict.action === "return-to-original" ? "original" : verdict.action;
    },
  };
}

/** One full pass, judged against the recorded scores of the incumbent. */
function cached(
  seedScores: readonly number[],
  isBetter: (scores: readonly number[], incumbent: readonly number[]) => boolean,
): SearchGate {
  let incumbent = seedScores;
  return {
    score: () => mean(incumbent),
    judge(roll, rolloutsLeft) {
      if (rolloutsLeft < incumbent.length) return "stop";
      const scores = incumbent.map((_, task) => roll(task));
      if (!isBetter(scores, incumbent)) return "reject";
      incumbent = scores;
      return "accept";
    },
  };
}

/** Strict with the exact stop; a winner and the incumbent are rolled once more, and the pooled means decide. */
function confirm(seedScores: readonly number[], rollIncumbent: (task: number) => number): SearchGate {
  let incumbent = seedScores;
  let trials = 1;
  return {
    score: () => mean(incumbent),
    judge(roll, rolloutsLeft) {
      const tasks = incumbent.length;
      if (rolloutsLeft < tasks) return "stop";
      const scores = rollUntilLost(incumbent, roll);
      if (scores === undefined || rolloutsLeft < 3 * tasks) return "reject";
      const again = scores.map((score, task) => (score + roll(task)) / 2);
      const pooled = incumbent.map((score, task) => (score * trials + rollIncumbent(task)) / (trials + 1));
      if (mean(again) > mean(pooled)) {
        incumbent = again;
        trials = 2;
        return "accept";
      }
      incumbent = pooled;
      trials += 1;
      return "reject";
    },
  };
}

/** A full pass, or undefined as soon as it cannot beat the incumbent's mean any more. */
function rollUntilLost(
  incumbent: readonly number[],
  roll: (task: number) => number,
): readonly number[] | undefined {
  const scores = [...incumbent];
  const bar = mean(incumbent) * incumbent.length;
  let best = incumbent.length;
  for (const task of orderForStop({ incumbent })) {
    const score = roll(task);
    scores[task] = score;
    best -= 1 - score;
    if (best <= bar + 1e-9) return undefined;
  }
  return scores;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
