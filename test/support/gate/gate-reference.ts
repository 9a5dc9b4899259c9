import { normalAbove } from "../../../src/core/gate/filter/gaussian.ts";
import { shuffle } from "../../../src/core/random.ts";
import type { SearchGate } from "./search-gate.ts";

/**
 * The filter rule as it was first found, for comparison: three numbers (original, incumbent, mean effect), no
 * allowance for val being a sample, and no last look at the original. Its constants are its own.
 */
export function referenceFilter(
  seedScores: readonly number[],
  roll: (task: number) => number,
  random: () => number,
): SearchGate {
  const count = seedScores.length;
  const first = seedScores.map((score, task) => (task < 20 ? [score, roll(task)] : [score]));
  const isFixed = first.every((trials) => trials.every((trial) => trial === trials[0]));
  let scores = first.map(mean);
  const start = mean(scores);
  let averages = scores.map((score) => start + 0.35 * (score - start));
  const doubt = mean(averages.map((average) => average * (1 - average))) / count;
  let known: Vector = [start, start, -0.01];
  let doubts: Matrix = [
    [doubt, doubt, 0],
    [doubt, doubt, 0],
    [0, 0, 0.02 ** 2],
  ];

  function judgeFixed(rollCandidate: (task: number) => number, left: number) {
    if (left < count) return "stop";
    const next = [...scores];
    let best = count;
    const bar = total(scores);
    for (const task of [...scores.keys()].toSorted((a, b) => at(scores, a) - at(scores, b) || a - b)) {
      next[task] = rollCandidate(task);
      best -= 1 - at(next, task);
      if (best <= bar + 1e-9) return "reject";
    }
    scores = next;
    return "accept";
  }

  return {
    score: () => (isFixed ? mean(scores) : at(known, 1)),
    judge(rollCandidate, left, proposals) {
      if (isFixed) return judgeFixed(rollCandidate, left);
      const limit = Math.floor(Math.min(4 * count, left));
      if (limit < 1) return "stop";
      const variances = averages.map((average) => average * (1 - average) + 0.005);
      const pass = total(variances);
      const slope = pass / count;
      const order = shuffle([...averages.keys()], random);
      const worth = 0.001 / Math.max(left / (count * proposals), 0.05) ** 2;
      const block = Math.max(Math.round(0.2 * count), 1);
      const [prior, priorDoubts] = withCandidate(known, doubts);
      const seen = averages.map((): number[] => []);
      let [surplus, spread, done, effect] = [0, 0, 0, 0];
      let [after, afterDoubts] = [prior, priorDoubts];
      while (done < limit) {
        for (let more = Math.min(block, limit - done); more > 0; more -= 1) {
          const task = at(order, done % count);
          const score = rollCandidate(task);
          surplus += score - at(averages, task);
          spread += at(variances, task);
          seen[task]?.push(score);
          done += 1;
        }
        const value = at(prior, 1) + (slope * surplus) / spread;
        [after, afterDoubts] = observe(prior, priorDoubts, value, (slope * slope) / spread);
        effect = at(after, 3) - at(after, 1);
        if (done < 0.4 * count) continue;
        const [, later] = observe(after, afterDoubts, 0, (slope * slope) / pass);
        const learned = Math.sqrt(Math.max(effectVariance(afterDoubts) - effectVariance(later), 1e-14));
        if (valueOfKnowing(effect, learned) < worth) break;
      }
      const isAccepted = effect > 0;
      const keep = isAccepted ? [0, 3, 2] : [0, 1, 2];
      const before = at(prior, 1);
      known = keep.map((place) => at(after, place));
      doubts = keep.map((row) => keep.map((column) => at(at(afterDoubts, row), column)));
      const shift = at(known, 1) - before;
      averages = averages.map((average, task) => {
        const trials = at(seen, task);
        const variance = at(variances, task);
        const own = trials.length === 0 ? 0 : mean(trials) - average - (surplus / spread) * variance;
        return within(average + (shift * variance) / slope + (1 - 0.9 ** trials.length) * own);
      });
      const isBelow = at(known, 1) < at(known, 0) - 1e-9;
      if (isBelow) {
        known = [at(known, 0), at(known, 0), at(known, 2)];
        doubts = [0, 0, 2].map((row) => [0, 0, 2].map((column) => at(at(doubts, row), column)));
      }
      const correction = at(known, 1) - mean(averages);
      averages = averages.map((average) => within(average + correction));
      return isBelow ? "original" : isAccepted ? "accept" : "reject";
    },
  };
}

type Vector = readonly number[];
type Matrix = readonly Vector[];

function withCandidate(known: Vector, doubts: Matrix): readonly [Vector, Matrix] {
  const rows = [[0], [1], [2], [1, 2]];
  const sum = (terms: readonly number[], value: (term: number) => number) => total(terms.map(value));
  const spread = (row: number, column: number) => (row === 3 && column === 3 ? 0.05 ** 2 : 0);
  return [
    rows.map((terms) => sum(terms, (term) => at(known, term))),
    rows.map((terms, row) =>
      rows.map(
        (others, column) =>
          sum(terms, (term) => sum(others, (other) => at(at(doubts, term), other))) + spread(row, column),
      ),
    ),
  ];
}

function observe(known: Vector, doubts: Matrix, value: number, variance: number): readonly [Vector, Matrix] {
  const column = doubts.map((row) => at(row, 3));
  const all = at(column, 3) + variance;
  const surprise = value - at(known, 3);
  return [
    known.map((one, row) => one + (at(column, row) / all) * surprise),
    doubts.map((cells, row) =>
      cells.map((cell, other) => cell - (at(column, row) * at(column, other)) / all),
    ),
  ];
}

const effectVariance = (doubts: Matrix): number =>
  at(at(doubts, 3), 3) + at(at(doubts, 1), 1) - 2 * at(at(doubts, 3), 1);

function valueOfKnowing(expected: number, deviation: number): number {
  const distance = Math.abs(expected) / deviation;
  const density = Math.exp(-(distance ** 2) / 2) / Math.sqrt(2 * Math.PI);
  return deviation * (density - distance * normalAbove(distance));
}

const within = (average: number): number => Math.min(Math.max(average, 0.01), 0.99);
const total = (values: Vector): number => values.reduce((sum, value) => sum + value, 0);
const mean = (values: Vector): number => total(values) / values.length;
const at = <T>(items: readonly T[], index: number): T => items[index] as T;
