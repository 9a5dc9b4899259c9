import { type Judging, type FilterState, filterConstants, mean, noiseShare } from "./filter-state.ts";
import { shuffle } from "../../random.ts";
import { fewestToReject, isRejected, judgeDeterministic } from "./filter-deterministic.ts";
import { expectedScore, isDoubtful, isSettled, judgeNoisy } from "./filter-noisy.ts";
import { orderForStop } from "./order-for-stop.ts";

export interface FilterVerdict {
  /** `undecided`: no rollout was left for it, or results are missing. */
  readonly action: "accept" | "reject" | "return-to-original" | "undecided";
  /** The expected effect on the score, and its standard deviation. */
  readonly estimate: number;
  readonly sd: number;
  /** Results that it took. */
  readonly rollouts: number;
  readonly state: FilterState;
}

export interface FilterBudget {
  /** Of the whole budget on val. */
  readonly rolloutsLeft: number;
  /** This one included. */
  readonly proposalsLeft: number;
  readonly random: () => number;
}

/** Fixes order and limits before the candidate's first rollout. */
export function beginCandidate(
  state: FilterState,
  { rolloutsLeft, proposalsLeft, random }: FilterBudget,
): Judging {
  if (state.kind === "deterministic") {
    const order = orderForStop({ incumbent: state.scores });
    // an unfinished pass could not be accepted
    const limit = rolloutsLeft < order.length ? 0 : order.length;
    const judging = { state, order, limit, passWorth: 0, scores: [], decided: false };
    return { ...judging, decided: limit === 0 || isRejected(judging, state) };
  }
  const order = shuffle([...state.averages.keys()], random);
  const limit = Math.max(Math.floor(Math.min(filterConstants.passes * order.length, rolloutsLeft)), 0);
  const passesEach = Math.max(rolloutsLeft / (order.length * proposalsLeft), 0.05);
  // steadier scores say more at the same price
  const passWorth = (filterConstants.passValue * noiseShare(state.noise)) / passesEach ** 2;
  return { state, order, limit, passWorth, scores: [], decided: limit === 0 };
}

/** The val tasks to roll next, all at once; none when the candidate is decided. */
export function nextBlock(judging: Judging): number[] {
  const { state, order, limit, scores, decided } = judging;
  if (decided) return [];
  const size =
    state.kind === "noisy"
      ? noisyBlock(scores.length, order.length)
      : Math.max(fewestToReject(judging, state), Math.ceil(filterConstants.smallestBlock * order.length));
  return Array.from(
    { length: Math.min(size, limit - scores.length) },
    (_, next) => order[(scores.length + next) % order.length] ?? 0,
  );
}

/** Adds the results of `nextBlock`, in its order. */
export function addBlock(judging: Judging, block: readonly (number | null)[]): Judging {
  const added = { ...judging, scores: [...judging.scores, ...block] };
  const { state } = added;
  const settled = state.kind === "noisy" ? isSettled(added, state) : isRejected(added, state);
  return { ...added, decided: settled || added.scores.length >= added.limit };
}

/** The decision, or undefined while there is more to roll. */
export function filterVerdict(judging: Judging): FilterVerdict | undefined {
  const { state, limit, scores, decided } = judging;
  if (!decided) return undefined;
  const rollouts = scores.filter((score) => score !== null).length;
  if (state.kind === "deterministic" && limit > 0) {
    return { ...judgeDeterministic(judging, state), sd: 0, rollouts };
  }
  if (state.kind === "noisy" && rollouts > 0) return { ...judgeNoisy(judging, state), rollouts };
  return { action: "undecided", estimate: 0, sd: 0, rollouts, state };
}

/** Whether the finished search should go back to the original: the incumbent's gain is too much in doubt. */
export function endsWithOriginal(state: FilterState): boolean {
  return state.kind === "noisy" && isDoubtful(state);
}

/** The incumbent's score as the search sees it: an estimate, not a claim. */
export function incumbentScore(state: FilterState): number {
  return state.kind === "noisy" ? expectedScore(state) : mean(state.scores);
}

function noisyBlock(done: number, tasks: number): number {
  const step = Math.max(Math.round(filterConstants.look * tasks), 1);
  return done > 0 ? step : Math.ceil((filterConstants.firstLook * tasks) / step - 1e-9) * step;
}
