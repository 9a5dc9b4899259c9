import { resolveSettings } from "../../../src/config/resolve/resolve.ts";
import { claimVerdict } from "../../../src/core/gate/claim/claim-verdict.ts";
import { firstBar } from "../../../src/core/gate/claim/account.ts";
import { drawNormal } from "../../../src/core/gate/claim/task-model.ts";
import { seededRandom, shuffle } from "../../../src/core/random.ts";
import { fallenTasks } from "../../../src/core/measure/lost-tasks.ts";
import { type Sides, splitTasks } from "../../../src/core/tasks/split.ts";
import { askedHash } from "../../../src/core/tasks/asked-hash.ts";
import { type SplitName, type Splits, type Task, splitNames } from "../../../src/core/tasks/task.ts";
import { type ClaimWord, claimSentence } from "../../../src/core/verdict-words.ts";
import type { AskedRow } from "../../../src/core/measure/task-accounts.ts";
import { ask, barsAt, claimOn, searchFor, sealedPlan, taskFile } from "../edit-run.ts";
import { type EditCell, type EditWorld, editWorld } from "../edit-world.ts";
import type { Counts } from "../share-repetitions.ts";
import { type ClaimsCell, looks } from "./cells.ts";

export async function runRepetition(cell: ClaimsCell, repetition: number, seed: number): Promise<Counts> {
  const name = [seed, repetition, cell.name];
  switch (cell.kind) {
    case "training":
      return trainOnce(cell, name);
    case "looks":
      return lookAgain(cell, name);
    case "grown":
      return growFile(cell, name);
    case "ten":
      return trainTenTimes(cell, name);
    case "skewed":
      return skewOnce(cell, name);
  }
}

type Name = readonly (string | number)[];
type CellOf<Kind> = Extract<ClaimsCell, { kind: Kind }>;

async function trainOnce({ tasks, world: cell }: CellOf<"training">, name: Name): Promise<Counts> {
  const world = editWorld(cell, tasks, ...name);
  const { splits } = splitTasks(taskFile(tasks, cell.group, name.join(" ")), { seed: 42 });
  return countWord(await trainOn(world, splits, { name, earlier: [] }));
}

interface Training {
  readonly name: Name;
  /** What was asked of the tasks before; a claim is added. */
  readonly earlier: AskedRow[];
  readonly mix?: EditCell["mix"];
}

/** One run with all defaults; the word is undefined when it ends with the original, or no outcome could be a claim. */
async function trainOn(world: EditWorld, splits: Splits, { name, earlier, mix }: Training) {
  const settings = await resolveSettings(
    { gate: "rules" },
    { train: splits.train.length, val: splits.val.length },
  );
  const test = splits.test;
  const { final } = searchFor(world, { settings, splits, name, ...(mix && { mix }) });
  const gain = final.score - world.original.score;
  const first = sealedPlan(test, settings, firstBar(settings.sealedAlpha));
  if (final === world.original || !first.limits.possible) return { word: undefined, gain, here: 0 };
  const bar = ask(earlier, { id: name.join(" "), tasks: test, file: Object.values(splits).flat() });
  const planned = sealedPlan(test, settings, barsAt(bar).alpha);
  const { trials } = planned.limits.possible ? planned : first;
  const { word, here } = claimOn(world, {
    before: world.original,
    after: final,
    tasks: test,
    trials,
    bar,
  });
  return { word, gain, here };
}

/** An edit that moves the truth by less than the solver's tolerance moved nothing. */
const nothing = 1e-4;

interface Ended {
  readonly word: ClaimWord | undefined;
  /** The true gain, on tasks like these and on these very test tasks. */
  readonly gain: number;
  readonly here: number;
}

function countWord({ word, gain, here }: Ended): Counts {
  return {
    runs: 1,
    claims: word === undefined ? 0 : 1,
    better: word === "better" ? 1 : 0,
    worse: word === "worse" ? 1 : 0,
    higher: word === "higher" ? 1 : 0,
    lower: word === "lower" ? 1 : 0,
    falseBetter: word === "better" && gain < nothing ? 1 : 0,
    falseWorse: word === "worse" && gain > -nothing ? 1 : 0,
    falseHere: (word === "higher" && here < nothing) || (word === "lower" && here > -nothing) ? 1 : 0,
  };
}

async function lookAgain({ tasks: count, edits, world: cell }: CellOf<"looks">, name: Name): Promise<Counts> {
  const world = editWorld(cell, count, ...name);
  const earlier: AskedRow[] = [];
  const tasks = taskFile(count, cell.group, name.join(" "));
  const [before, after, arms] = [
    world.original,
    world.withEdits(world.propose(world.original, edits)),
    [[], []],
  ];
  const words = looks.map((trials) => {
    const bar = ask(earlier, { id: "looks", tasks });
    return claimOn(world, { before, after, tasks, trials, bar, arms }).word;
  });
  const has = (word: ClaimWord) => (words.includes(word) ? 1 : 0);
  return {
    runs: 1,
    claims: 1,
    better: has("better"),
    worse: has("worse"),
    higher: has("higher"),
    lower: has("lower"),
    falseBetter: has("better"),
    falseWorse: has("worse"),
    atFirst: words[0] === "better" || words[0] === "worse" ? 1 : 0,
  };
}

/** Two runs from the same original; a false word in either counts, once. */
async function growFile({ tasks: count, world: cell }: CellOf<"grown">, name: Name): Promise<Counts> {
  const world = editWorld(cell, count + 1, ...name);
  const file = taskFile(count + 1, cell.group, name.join(" "));
  const before = splitTasks(file.slice(0, count), { seed: 42 }).splits;
  const after = splitTasks(file, { seed: 42, seen: sidesOf(before) }).splits;
  const earlier: AskedRow[] = [];
  const one = await trainOn(world, before, { name: [...name, 1], earlier });
  const two = await trainOn(world, after, { name: [...name, 2], earlier });
  const both = [countWord(one), countWord(two)];
  const either = (key: string) => (both.some((counts) => counts[key] === 1) ? 1 : 0);
  const seen = new Set([...before.train, ...before.val].map(askedHash));
  return {
    runs: 1,
    claims: either("claims"),
    better: either("better"),
    worse: either("worse"),
    higher: either("higher"),
    lower: either("lower"),
    falseBetter: either("falseBetter"),
    falseWorse: either("falseWorse"),
    testTasksSeen: after.test.filter((task) => seen.has(askedHash(task))).length,
    readsNotCounted: one.word === undefined || two.word === undefined || earlier[1]?.read === 2 ? 0 : 1,
  };
}

const sidesOf = (splits: Splits): Sides =>
  new Map(
    splitNames.flatMap((side) =>
      splits[side].map((task: Task): [string, Set<SplitName>] => [askedHash(task), new Set([side])]),
    ),
  );

/** Each starts from the same original, so that all true runs are alike: what changes is the bar. */
async function trainTenTimes({ tasks: count, world: cell }: CellOf<"ten">, name: Name): Promise<Counts> {
  const world = editWorld(cell, count, ...name);
  const { splits } = splitTasks(taskFile(count, cell.group, name.join(" ")), { seed: 42 });
  const mixes = Array.from({ length: 10 }, (_, nth) => (nth < 5 ? "mild" : "worthless"));
  const counts: Record<string, number> = {
    runs: 10,
    claims: 0,
    better: 0,
    worse: 0,
    falseBetter: 0,
    falseWorse: 0,
  };
  const earlier: AskedRow[] = [];
  for (const [at, mix] of shuffle(mixes, seededRandom("ten", ...name)).entries()) {
    const ended = await trainOn(world, splits, {
      name: [...name, at],
      earlier,
      mix,
    });
    const { word } = ended;
    const own = countWord(ended);
    for (const key of ["claims", "better", "worse", "falseBetter", "falseWorse"])
      counts[key] = (counts[key] ?? 0) + (own[key] ?? 0);
    counts[`true ${at + 1}`] = mix === "mild" ? 1 : 0;
    counts[`found ${at + 1}`] = mix === "mild" && word === "better" ? 1 : 0;
  }
  return counts;
}

/** Scores of 50 to 90%; a steady target repeats them, else every trial scatters. */
async function skewOnce({ tasks: count, noise }: CellOf<"skewed">, name: Name): Promise<Counts> {
  const settings = await resolveSettings({});
  const random = seededRandom("skewed", ...name);
  const alpha = firstBar(settings.sealedAlpha);
  const trials = noise === 0 ? 2 : sealedPlan(taskFile(count, 1, "skewed"), settings, alpha).trials;
  const lost: number[] = [];
  const pairs = Array.from({ length: count }, (_, task) => {
    const score = 0.5 + 0.4 * random();
    const isLost = random() < 0.1;
    if (isLost) lost.push(task);
    const arm = (middle: number) =>
      Array.from({ length: trials }, () => Math.min(Math.max(middle + noise * drawNormal(random), 0), 1));
    return { incumbent: arm(score), candidate: arm(score + (isLost ? -0.45 : 0.05)) };
  });
  const claim = claimVerdict(pairs, { alpha, steady: noise === 0 });
  const { verdict: word } = claim;
  const named = new Set(fallenTasks(pairs));
  const isBetter = word === "better";
  return {
    runs: 1,
    claims: 1,
    better: isBetter ? 1 : 0,
    worse: word === "worse" ? 1 : 0,
    // a tenth of all tasks fall, and the sentence gives a bound on that
    boundHolds: claim.couldFall >= 0.1 ? 1 : 0,
    betterThatSays: isBetter && couldFallText.test(claimSentence(claim)) ? 1 : 0,
    betterWithLoss: isBetter && lost.length > 0 ? 1 : 0,
    betterThatNames: isBetter && lost.length > 0 && lost.every((task) => named.has(task)) ? 1 : 0,
  };
}

/** What a better on graded scores says of those that it didn't see. */
const couldFallText = /\bup to \d+% (?:of tasks like these still )?could/;
