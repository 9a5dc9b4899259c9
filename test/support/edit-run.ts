import { taskFacts } from "../../src/core/gate/default-gate.ts";
import { affordsSurplus } from "../../src/core/loop/turns.ts";
import type { ClaimPair } from "../../src/core/gate/claim/claim-pair.ts";
import { fewestTasks } from "../../src/core/gate/claim/claim-p.ts";
import { claimWord } from "../../src/core/gate/claim/claim-verdict.ts";
import type { ClaimWord } from "../../src/core/verdict-words.ts";
import { firstTrials, isSteady } from "../../src/core/gate/steady.ts";
import { seededRandom } from "../../src/core/random.ts";
import type { TrainSettings } from "../../src/core/settings.ts";
import {
  type AskedRow,
  type Bar,
  type AskedQuestion,
  barOf,
  newPrints,
} from "../../src/core/measure/task-accounts.ts";
import { askedHash } from "../../src/core/tasks/asked-hash.ts";
import { claimPairs } from "../../src/core/measure/claim-pairs.ts";
import { editBudget } from "../../src/core/stages/edit-budget.ts";
import { planSealed, type SealedPlan } from "../../src/core/measure/seal.ts";
import { unitsOf } from "../../src/core/tasks/clusters.ts";
import { planBatches } from "../../src/core/tasks/batches.ts";
import { taskHash } from "../../src/core/tasks/task-hash.ts";
import type { Splits, Task } from "../../src/core/tasks/task.ts";
import { wordingOf } from "../../src/core/tasks/wordings.ts";
import { keptRules, valRollouts } from "../../src/core/rules/rule-search.ts";
import type { EditCell, EditWorld, EditedSkill, WorldEdit } from "./edit-world.ts";
import type { RuleWorld } from "./rules/rule-worlds.ts";
import { searchRules } from "./rules/search-rules.ts";

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
  /** On val. */
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

/** The search of a run, as the loop drives it. */
export function searchFor(world: EditWorld, { settings, splits, mix, name }: SearchPlan): Search {
  const val = splits.val.map(indexOf);
  const steps = countProposals(splits, settings);
  const { editBudget: max, minEditBudget: min, texts } = settings;
  const edits: WorldEdit[] = [];
  const skillOf = (rules: readonly number[]) =>
    world.withEdits(edits.filter(({ number }) => rules.includes(number)));
  const texted = new Map<string, EditedSkill>();
  const rulesWorld: RuleWorld = {
    n: val.length,
    dice: seededRandom("edit-search", ...name),
    at: () => ({ kind: "useless", tokens: 35 }),
    propose(incumbent, count) {
      const proposed = world.propose(skillOf(incumbent), count, mix);
      edits.push(...proposed);
      return proposed.map(({ number }) => number);
    },
    roll(rules, task) {
      const key = rules.join(" ");
      const skill = texted.get(key) ?? skillOf(rules);
      texted.set(key, skill);
      return world.roll(skill, val[task] as number);
    },
    truth: (rules) => skillOf(rules).score,
  };
  const rollouts = valRollouts(steps, { tasks: val.length });
  const search = searchRules(
    {
      tasks: val.length,
      units: unitsOf(splits.val),
      steps,
      rollouts,
      edits: (step) => editBudget({ schedule: "cosine", max, min, step: step + 1, total: steps }),
    },
    rulesWorld,
    { texts, surplus: affordsSurplus(taskFacts(splits)) },
  );
  return { final: skillOf(keptRules(search).kept), rollouts: search.spent };
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
  /** Its shares of 5%. */
  readonly bar: Pick<Bar, "share" | "worse">;
  /** What an earlier look has rolled, arm by arm and trial by trial; this one adds to it. @default nothing */
  readonly arms?: number[][][];
}

/** A claim as `rollClaim` and `seal` make it: pairs, wordings, no repeats of a steady target. */
export function claimOn(world: EditWorld, input: ClaimInput): Claimed {
  const { before, after, tasks, trials, bar, arms = [[], []] } = input;
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
  return { pairs, word: claimWord(pairs, { ...barsAt(bar), steady }).word, here };
}

/** What p is held to where all questions together may get 5% wrong. */
export const barsAt = ({ share, worse }: Pick<Bar, "share" | "worse">) => ({
  alpha: 0.05 * share,
  alphaWorse: 0.05 * worse,
});

/** Asks a new question of tasks, or looks again at an old one, as the journal would count it. */
export function ask(
  earlier: AskedRow[],
  question: Pick<AskedQuestion, "id" | "tasks" | "file" | "memory"> &
    Partial<Pick<AskedQuestion, "text" | "target">>,
): Bar {
  const { id, tasks, file = tasks, text = id, target = "target" } = question;
  const { pays, paid, ...bar } = barOf({ ...question, text, target }, earlier);
  const row = { question: id, text, target, read: bar.read, tasks: file.map(askedHash), pays, paid };
  earlier.push({ ...row, prints: newPrints(file, earlier) });
  return bar;
}

const plans = new Map<string, SealedPlan>();

/** What `planSealed` says, remembered: it simulates, and depends on no more than this. */
export function sealedPlan(test: readonly Task[], settings: TrainSettings, alpha: number): SealedPlan {
  const key = `${new Set(unitsOf(test)).size} ${alpha} ${settings.seed} ${settings.claimTrials}`;
  const known = plans.get(key) ?? planSealed(test, settings, alpha);
  plans.set(key, known);
  return known;
}
