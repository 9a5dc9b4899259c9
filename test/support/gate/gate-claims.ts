import { claimInterval } from "../../../src/core/gate/claim/claim-interval.ts";
import { claimLimits } from "../../../src/core/gate/claim/claim-limits.ts";
import { searchP, searchTest } from "../../../src/core/gate/claim/claim-p.ts";
import type { FinishedPair } from "../../../src/core/gate/claim/claim-pair.ts";
import { earlyStop } from "../../../src/core/gate/claim/early-stop.ts";
import { firstBar } from "../../../src/core/gate/claim/account.ts";
import { orderForStop } from "../../../src/core/gate/order-for-stop.ts";
import {
  type TaskModel,
  drawOdds,
  oddsShift,
  passRate,
  taskModel,
} from "../../../src/core/gate/claim/task-model.ts";
import { seededRandom } from "../../../src/core/random.ts";

/** Claims of one size about candidates of one true effect. */
export interface ClaimCell {
  readonly tasks: number;
  readonly trials: number;
  /** In points. */
  readonly effect: number;
  /** `mixed`: half of the tasks gain what the others lose; the mean effect is zero, no task's is. */
  readonly kind: "even" | "mixed";
  readonly decisions: number;
  /** Of how many of them the interval is found: it inverts the test, which takes long. */
  readonly intervals: number;
}

export interface ClaimResult {
  readonly refused: boolean;
  /** Share of decisions that came out "better"; of a mixed candidate on few tasks, wrongly so on these. */
  readonly accepted: number;
  /** Decisions that the exact stop changed. */
  readonly changed: number;
  /** Candidate rollouts that the exact stop saved, as a share. */
  readonly saved: number;
  /** How often the interval at that bar holds the true difference. */
  readonly covered: number;
}

/** The bar of a first read of test tasks, which most people never go beyond. */
export const claimAlpha = firstBar(0.05);
/** Of the interval that a claim at this bar is printed with. */
export const claimLevel = 1 - 2 * claimAlpha;
const flips = 0.2;
const mixedShift = 2;
/** Every so many decisions the exact stop is looked for task by task, not by bisection. */
const walkEvery = 50;

export function runClaimCell(
  { tasks, trials, effect, kind, decisions, intervals }: ClaimCell,
  seed: number,
): ClaimResult {
  if (!claimLimits({ tasks, trials }, claimAlpha).possible) {
    return {
      refused: true,
      accepted: 0,
      changed: 0,
      saved: 0,
      covered: 1,
    };
  }
  const random = seededRandom("claims", seed, tasks, trials, effect, kind);
  const model = taskModel({ baseline: 0.5, flipRate: flips });
  const shift = oddsShift(model, effect / 100);
  let [accepted, changed, saved, covered] = [0, 0, 0, 0];
  for (let decision = 0; decision < decisions; decision += 1) {
    const drawn = drawTasks(model, tasks, kind === "even" ? () => shift : mixed, random);
    const truth = searchTest(tasks) === "within-task" ? meanOf(drawn.map(gainOf)) : effect / 100;
    // over a handful of tasks the claim is about these, and a mixed candidate may be truly better there
    const isTrue = kind === "mixed" && searchTest(tasks) === "within-task" && truth > 0;
    const pairs = drawn.map((task) => roll(task, trials, random));
    const isBetter = searchP(pairs) <= claimAlpha;
    if (isBetter && !isTrue) accepted += 1;
    if (decision < intervals) {
      const { low, high } = claimInterval(pairs, claimLevel);
      if (low - 1e-12 <= truth && truth <= high + 1e-12) covered += 1;
    }
    if (kind === "even") {
      const stop = findStop(pairs, decision % walkEvery === 0);
      saved += 1 - stop.done / tasks;
      if ((stop.word === "accept") !== isBetter || !stop.isFirst) changed += 1;
    }
  }
  const share = (count: number) => count / decisions;
  return {
    refused: false,
    accepted: share(accepted),
    changed,
    saved: share(saved),
    covered: covered / intervals,
  };
}

interface DrawnTask {
  readonly incumbent: number;
  readonly candidate: number;
}

function drawTasks(
  model: TaskModel,
  count: number,
  shiftOf: (task: number) => number,
  random: () => number,
): DrawnTask[] {
  return Array.from({ length: count }, (_, task) => {
    const odds = drawOdds(model, random);
    return { incumbent: passRate(odds), candidate: passRate(odds + shiftOf(task)) };
  });
}

const mixed = (task: number): number => (task % 2 === 0 ? mixedShift : -mixedShift);
const gainOf = ({ incumbent, candidate }: DrawnTask): number => candidate - incumbent;
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function roll({ incumbent, candidate }: DrawnTask, trials: number, random: () => number): FinishedPair {
  const arm = (chance: number) => Array.from({ length: trials }, () => (random() < chance ? 1 : 0));
  return { incumbent: arm(incumbent), candidate: arm(candidate) };
}

/** The first task after which the decision is certain, with the incumbent's arm known beforehand. */
function findStop(pairs: readonly FinishedPair[], isWalked: boolean) {
  const incumbent = pairs.map((pair) => meanOf(pair.incumbent));
  const order = orderForStop(incumbent);
  const wordAfter = (done: number) => {
    const known = new Set(order.slice(0, done));
    return earlyStop(
      pairs.map((pair, task) =>
        known.has(task) ? pair : { ...pair, candidate: pair.candidate.map(() => null) },
      ),
      claimAlpha,
    );
  };
  let [low, high] = [0, pairs.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (wordAfter(middle) === "continue") low = middle + 1;
    else high = middle;
  }
  let isFirst = true;
  if (isWalked) {
    for (let done = 0; done < high; done += 1) if (wordAfter(done) !== "continue") isFirst = false;
    for (let done = high; done <= pairs.length; done += 1) {
      if (wordAfter(done) !== wordAfter(high)) isFirst = false;
    }
  }
  return { done: high, word: wordAfter(high), isFirst };
}
