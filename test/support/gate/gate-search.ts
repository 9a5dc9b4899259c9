import { type FinishedPair, meanDifference } from "../../../src/core/gate/claim/claim-pair.ts";
import { claimWord } from "../../../src/core/gate/claim/claim-verdict.ts";
import { earnAlpha } from "../../../src/core/gate/claim/spend-alpha.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { type GateName, searchGates } from "./gate-rivals.ts";
import { type SearchCell, type SearchWorld, type WorldSkill, searchWorld } from "./gate-world.ts";

export interface SearchResult {
  /** True gain over the original in points: mean over repetitions and its standard error. */
  readonly gain: number;
  readonly error: number;
  /** The rule's own idea of the final score minus the truth, in points. */
  readonly optimism: number;
  /** Rollouts on val, in passes. */
  readonly passes: number;
  /** Share of runs that end below the original. */
  readonly below: number;
}

export function runSearchCell(
  cell: SearchCell,
  gate: GateName,
  repetitions: number,
  seed: number,
): SearchResult {
  const runs = Array.from({ length: repetitions }, (_, repetition) =>
    search(searchWorld(cell, 0, repetition, seed), cell, gate, repetition, seed),
  );
  const gains = runs.map(({ gain }) => 100 * gain);
  return {
    gain: mean(gains),
    error: standardError(gains),
    optimism: 100 * mean(runs.map(({ optimism }) => optimism)),
    passes: mean(runs.map(({ rollouts }) => rollouts)) / cell.tasks,
    below: mean(runs.map(({ gain }) => (gain < -1e-4 ? 1 : 0))),
  };
}

export interface SealedResult {
  /** Sealed number minus true gain in points: mean over all runs and its standard error. */
  readonly bias: number;
  readonly error: number;
  readonly gain: number;
  /** Shares of runs: adopted; adopted without a true gain. */
  readonly adopted: number;
  readonly falselyAdopted: number;
}

/** The whole way: a search with our filter, then one sealed reading of the original against its result. */
export function runSealedCell(
  cell: SearchCell,
  sealed: { readonly tasks: number; readonly trials: number },
  repetitions: number,
  seed: number,
): SealedResult {
  const runs = Array.from({ length: repetitions }, (_, repetition) => {
    const world = searchWorld(cell, sealed.tasks, repetition, seed);
    const { final, gain } = search(world, cell, "filter", repetition, seed);
    // a search that ends with the original claims nothing and reads nothing
    if (final === world.original) return { bias: 0, gain, isAdopted: false };
    const pairs = readSealed(world, final, sealed);
    const { word } = claimWord(pairs, { alpha: earnAlpha(0.05, 1, []) });
    return { bias: meanDifference(pairs) - gain, gain, isAdopted: word === "better" };
  });
  const biases = runs.map(({ bias }) => 100 * bias);
  const share = (holds: (run: (typeof runs)[number]) => boolean) =>
    mean(runs.map((run) => (holds(run) ? 1 : 0)));
  return {
    bias: mean(biases),
    error: standardError(biases),
    gain: 100 * mean(runs.map(({ gain }) => gain)),
    adopted: share(({ isAdopted }) => isAdopted),
    // an edit that moves the truth by less than the solver's tolerance moved nothing
    falselyAdopted: share(({ isAdopted, gain }) => isAdopted && gain < 1e-4),
  };
}

function readSealed(
  world: SearchWorld,
  final: WorldSkill,
  sealed: { readonly tasks: number; readonly trials: number },
): FinishedPair[] {
  return Array.from({ length: sealed.tasks }, (_, task) => {
    const arm = (skill: WorldSkill) =>
      Array.from({ length: sealed.trials }, () => world.rollSealed(skill, task));
    return { incumbent: arm(world.original), candidate: arm(final) };
  });
}

function search(world: SearchWorld, cell: SearchCell, name: GateName, repetition: number, seed: number) {
  const random = seededRandom("gate", seed, repetition, name);
  const budget = (cell.decisions + 1) * cell.tasks;
  let rollouts = 0;
  let incumbent = world.original;
  const rolling = (skill: () => WorldSkill) => (task: number) => {
    rollouts += 1;
    return world.roll(skill(), task);
  };
  const rollIncumbent = rolling(() => incumbent);
  const seedScores = Array.from({ length: cell.tasks }, (_, task) => rollIncumbent(task));
  const gate = searchGates[name](seedScores, rollIncumbent, random);
  for (let step = 0; step < cell.decisions; step += 1) {
    const candidate = world.propose(incumbent, step);
    const action = gate.judge(
      rolling(() => candidate),
      budget - rollouts,
      cell.decisions - step,
    );
    if (action === "stop") break;
    if (action === "accept") incumbent = candidate;
    if (action === "original") incumbent = world.original;
  }
  if (rollouts > budget) throw new Error(`${name} spent ${rollouts} of ${budget} rollouts`);
  const final = gate.endsWithOriginal?.() === true ? world.original : incumbent;
  return {
    final,
    gain: final.score - world.original.score,
    optimism: gate.score() - incumbent.score,
    rollouts,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function standardError(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / Math.max(values.length - 1, 1) / values.length);
}
