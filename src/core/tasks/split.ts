import { WhetstoneError } from "../errors.ts";
import { seededRandom, shuffle } from "../random.ts";
import { disjointSets } from "./disjoint-sets.ts";
import { findNearDuplicates } from "./near-duplicates.ts";
import type { SplitName, Splits, Task } from "./task.ts";
import { taskHash } from "./task-hash.ts";

/** Parts of train, val and test; only their proportion counts. */
export type SplitRatio = readonly [train: number, val: number, test: number];

/** Content hashes per split: what was trained on, selected on and tested on. */
export type SplitManifest = Readonly<Record<SplitName, readonly string[]>>;

export interface SplitOptions {
  readonly seed: number;
  /** @default 2:1:7 from 200 tasks on, 4:4:2 from 20 on, below that 1:1 and no test */
  readonly ratio?: SplitRatio;
}

/**
 * Cuts tasks into train, val and test: a seeded shuffle, counts by largest remainder. Tasks of one group and
 * near-duplicates stay together, so counts can be a little off then. The order of the rows does not matter.
 */
export function splitTasks(
  tasks: readonly Task[],
  { seed, ratio = defaultRatio(tasks.length) }: SplitOptions,
): { splits: Splits; manifest: SplitManifest } {
  checkRatio(ratio);
  const clusters = shuffle(clusterTasks(inContentOrder(tasks)), seededRandom("split", seed));
  const room = largestRemainder(tasks.length, ratio);
  const splits: Record<SplitName, Task[]> = { train: [], val: [], test: [] };
  // the largest first, while there is room for them; the sort keeps the shuffled order among equals
  for (const cluster of clusters.toSorted((a, b) => b.length - a.length)) {
    const name = roomiest(room);
    splits[name].push(...cluster);
    room[name] -= cluster.length;
  }
  const empty = splits.train.length === 0 ? "train" : splits.val.length === 0 ? "val" : undefined;
  if (empty !== undefined) {
    const counts = `${tasks.length} tasks in ${clusters.length} clusters that must stay together`;
    throw new WhetstoneError("tasks-invalid", `${counts} leave none for ${empty}.`, {
      hint: "Add tasks, or give train and val a larger part of the ratio.",
    });
  }
  return { splits, manifest: splitManifest(splits) };
}

export const splitManifest = ({ train, val, test }: Splits): SplitManifest => ({
  train: train.map(taskHash),
  val: val.map(taskHash),
  test: test.map(taskHash),
});

function defaultRatio(count: number): SplitRatio {
  if (count >= 200) return [2, 1, 7];
  return count >= 20 ? [4, 4, 2] : [1, 1, 0];
}

function checkRatio(ratio: SplitRatio): void {
  const [train, val, test] = ratio;
  if (ratio.every(Number.isFinite) && train > 0 && val > 0 && test >= 0) return;
  throw new WhetstoneError("config-invalid", `${ratio.join(":")} is not a ratio of train, val and test.`, {
    hint: "Give three numbers, the first two above zero, such as 4:4:2.",
  });
}

function inContentOrder(tasks: readonly Task[]): readonly Task[] {
  const keyed = tasks.map((task) => ({ task, key: taskHash(task) + task.id }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ task }) => task);
}

function clusterTasks(tasks: readonly Task[]): readonly (readonly Task[])[] {
  const sets = disjointSets(tasks.length);
  const firstOfGroup = new Map<string, number>();
  for (const [at, { group }] of tasks.entries()) {
    if (group === undefined) continue;
    const first = firstOfGroup.get(group);
    if (first === undefined) firstOfGroup.set(group, at);
    else sets.join(first, at);
  }
  for (const { first, second } of findNearDuplicates(tasks)) sets.join(first, second);
  return [...Map.groupBy(tasks.entries(), ([at]) => sets.find(at)).values()].map((entries) =>
    entries.map(([, task]) => task),
  );
}

function roomiest(room: Readonly<Record<SplitName, number>>): SplitName {
  if (room.train >= room.val && room.train >= room.test) return "train";
  return room.val >= room.test ? "val" : "test";
}

function largestRemainder(count: number, [train, val, test]: SplitRatio): Record<SplitName, number> {
  const sum = train + val + test;
  const quotas = { train: (count * train) / sum, val: (count * val) / sum, test: (count * test) / sum };
  const counts = {
    train: Math.floor(quotas.train),
    val: Math.floor(quotas.val),
    test: Math.floor(quotas.test),
  };
  const names = ["train", "val", "test"] as const;
  const byRemainder = names.toSorted((a, b) => quotas[b] - counts[b] - (quotas[a] - counts[a]));
  const rest = count - counts.train - counts.val - counts.test;
  for (const name of byRemainder.slice(0, rest)) counts[name] += 1;
  return counts;
}
