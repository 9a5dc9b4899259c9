import type { ClaimPair } from "../../src/core/gate/claim/claim-pair.ts";
import { fewestTasks } from "../../src/core/gate/claim/claim-p.ts";
import { claimWord } from "../../src/core/gate/claim/claim-verdict.ts";
import type { ClaimWord } from "../../src/core/verdict-words.ts";
import {
  addBlock,
  beginCandidate,
  endsWithOriginal,
  filterVerdict,
  nextBlock,
} from "../../src/core/gate/filter/filter.ts";
import { probeTasks, startFilter } from "../../src/core/gate/filter/filter-state.ts";
import type { ReadBar } from "../../src/core/gate/claim/read-bar.ts";
import { firstTrials, isSteady } from "../../src/core/gate/steady.ts";
import { seededRandom } from "../../src/core/random.ts";
import type { TrainSettings } from "../../src/core/settings.ts";
import { claimPairs } from "../../src/core/measure/claim-pairs.ts";
import { editBudget } from "../../src/core/stages/edit-budget.ts";
import { planSealed, type SealedPlan } from "../../src/core/measure/seal.ts";
import { unitsOf } from "../../src/core/tasks/clusters.ts";
import { planBatches } from "../../src/core/tasks/batches.ts";
import { taskHash } from "../../src/core/tasks/task-hash.ts";
import type { Splits, Task } from "../../src/core/tasks/task.ts";
import { wordingOf } from "../../src/core/tasks/wordings.ts";
import type { EditCell, EditWorld, EditedSkill } from "./edit-world.ts";

/** A file of tasks whose texts are unlike each other; its n-th task is the n-th of the world. */
export function taskFile(count: number, group: number, name: string | number): readonly Task[] {
  return Array.from({ length: count }, (_, at) => ({
    id: String(at),
    input: `${name} ${at}`,
    answers: ["yes"],
    ...(group === 1 ? {} : { group: `g${Math.floor(at / group)}` }),
  }));
}

const indexOf = ({ id }: Task): number => Number(id);

export interface Search {
  readonly final: EditedSkill;
  /** Whether the gate saw that the target varies. */
  readonly isNoisy: boolean;
  /** On val, the original's among them; and the probe. */
  readonly rollouts: number;
}

export interface SearchPlan {
  readonly settings: TrainSettings;
  readonly splits: Splits;
  readonly mix?: EditCell["mix"];
  readonly name: readonly (string | number)[];
}

/** How many candidates a run proposes: one a step, and guidance between epochs. */
export function countProposals({ train }: Splits, settings: TrainSettings): number {
  const batches = planBatches(train, { ...settings, batchSize: settings.batchSize * settings.accumulation });
  return batches.flat().length + (settings.slowUpdate ? settings.epochs - 1 : 0);
}

/** The search of a run: every patch is judged by the filter, with the budget that a run gives it. */
export function searchFor(world: EditWorld, { settings, splits, mix, name }: SearchPlan): Search {
  const val = splits.val.map(indexOf);
  const roll = (skill: EditedSkill, at: number) => world.roll(skill, val[at] as number);
  const proposals = countProposals(splits, settings);
  const random = seededRandom("edit-search", ...name);
  const probe = probeTasks(val.length);
  let state = startFilter({
    seedScores: val.map((_, at) => roll(world.original, at)),
    probeScores: probe.map((at) => roll(world.original, at)),
  });
  const isNoisy = state.kind === "noisy";
  const budget = (proposals + 1) * val.length;
  let [incumbent, spent] = [world.original, val.length];
  for (let step = 1; step <= proposals; step += 1) {
    const { editBudget: max, minEditBudget: min } = settings;
    const edits = editBudget({ schedule: "cosine", max, min, step, total: proposals });
    const candidate = world.propose(incumbent, edits, mix);
    let judging = beginCandidate(state, {
      rolloutsLeft: Math.max(budget - spent, 0),
      proposalsLeft: proposals - step + 1,
      random,
    });
    for (let block = nextBlock(judging); block.length > 0; block = nextBlock(judging))
      judging = addBlock(
        judging,
        block.map((at) => roll(candidate, at)),
      );
    const verdict = filterVerdict(judging);
    if (verdict === undefined || verdict.action === "undecided") continue;
    spent += verdict.rollouts;
    state = verdict.state;
    if (verdict.action === "accept") incumbent = candidate;
    if (verdict.action === "return-to-original") incumbent = world.original;
  }
  const final = endsWithOriginal(state) ? world.original : incumbent;
  return { final, isNoisy, rollouts: spent + probe.length };
}

export interface Claimed {
  readonly pairs: readonly ClaimPair[];
  readonly word: ClaimWord;
  /** The true difference on these very tasks. */
  readonly here: number;
}

export interface ClaimInput {
  readonly before: EditedSkill;
  readonly after: EditedSkill;
  readonly tasks: readonly Task[];
  readonly trials: number;
  readonly bar: Pick<ReadBar, "alpha" | "steadyAlpha">;
  readonly isNoisy?: boolean;
  /** What an earlier look has rolled, arm by arm and trial by trial; this one adds to it. @default nothing */
  readonly arms?: number[][][];
}

/** A claim as `rollClaim` and `seal` make it: pairs, wordings, no repeats of a steady target. */
export function claimOn(world: EditWorld, input: ClaimInput): Claimed {
  const { before, after, tasks, trials, bar, isNoisy = false, arms = [[], []] } = input;
  const variesWording = new Set(unitsOf(tasks)).size < fewestTasks;
  const hashes = variesWording ? tasks.map(taskHash) : [];
  const rollTrial = (skill: EditedSkill, trial: number) =>
    tasks.map((task, at) =>
      world.roll(skill, indexOf(task), variesWording ? wordingOf(hashes[at] as string, trial) : 0),
    );
  const rollTo = (count: number) => {
    [before, after].forEach((skill, arm) => {
      const own = arms[arm] as number[][];
      while (own.length < count) own.push(rollTrial(skill, own.length));
    });
  };
  const repeats = () => isSteady(arms, (one, first) => one === first);
  rollTo(Math.min(trials, firstTrials(tasks.length)));
  if (!repeats()) rollTo(trials);
  const steady = trials > 1 && repeats();
  const isFresh = isNoisy || (trials > 1 && !steady);
  const of = (arm: number) =>
    tasks.map((_, at) => (arms[arm] as number[][]).map((trial) => trial[at] as number));
  const pairs = claimPairs(tasks, of(0), of(1));
  const here = tasks.reduce((sum, task) => {
    const [one, other] = [before, after].map((skill) => world.expected(skill, indexOf(task))) as [
      number,
      number,
    ];
    return sum + (other - one) / tasks.length;
  }, 0);
  const alpha = isFresh ? bar.alpha : bar.steadyAlpha;
  return { pairs, word: claimWord(pairs, { alpha, steady }).word, here };
}

const plans = new Map<string, SealedPlan>();

/** What `planSealed` says, remembered: it simulates, and depends on no more than this. */
export function sealedPlan(test: readonly Task[], settings: TrainSettings, alpha: number): SealedPlan {
  const key = `${new Set(unitsOf(test)).size} ${alpha} ${settings.seed} ${settings.claimTrials}`;
  const known = plans.get(key) ?? planSealed(test, settings, alpha);
  plans.set(key, known);
  return known;
}
