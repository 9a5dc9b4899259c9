import { WhetstoneError } from "../errors.ts";
import { seededRandom } from "../random.ts";
import { askedHash } from "./asked-hash.ts";
import { clusterTasks } from "./clusters.ts";
import { type SplitName, type Splits, type Task, splitNames } from "./task.ts";
import { taskHash } from "./task-hash.ts";

/** The parts of train, val and test. Only their proportion counts. */
export type SplitRatio = readonly [train: number, val: number, test: number];

/** Content hashes of the tasks used to train, to select and to test. */
export type SplitManifest = Readonly<Record<SplitName, readonly string[]>>;

/** The splits that tasks have been in, by their hash. */
export type Sides = ReadonlyMap<string, ReadonlySet<SplitName>>;

export interface SplitOptions {
  readonly seed: number;
  /** @default 1:1:1, with at most 150 tasks for test */
  readonly ratio?: SplitRatio;
  /** The splits these tasks had in earlier runs. A task used to train or select never becomes a test task. */
  readonly seen?: Sides;
}

/**
 * Splits tasks into train, val and test. Tasks of one group and near-duplicates stay together, so counts can be a little
 * off. A cluster stays in the split it had before. A new one goes to the split that lacks the most, with ties decided by
 * its hash. So a file may grow, and the order of its rows doesn't matter.
 */
export function splitTasks(
  tasks: readonly Task[],
  { seed, ratio, seen = new Map() }: SplitOptions,
): { splits: Splits; manifest: SplitManifest } {
  const room = ratio === undefined ? defaultCounts(tasks.length) : largestRemainder(tasks.length, ratio);
  const clusters = clusterTasks(inContentOrder(tasks)).map((own) => ({
    own,
    side: sideBefore(own, seen, room.test > 0),
    random: seededRandom("side", seed, ...own.map(taskHash)),
  }));
  const splits: Record<SplitName, Task[]> = { train: [], val: [], test: [] };
  const place = (name: SplitName, own: readonly Task[]) => {
    splits[name].push(...own);
    room[name] -= own.length;
  };
  for (const { side, own } of clusters) if (side !== undefined) place(side, own);
  // the largest first, while there's room for them
  const fresh = clusters
    .filter(({ side }) => side === undefined)
    .map(({ own, random }) => ({ own, key: random(), random }))
    .toSorted((one, other) => other.own.length - one.own.length || one.key - other.key);
  fresh.forEach(({ own, random }, at) => {
    const empty = (["train", "val"] as const).filter((name) => splits[name].length === 0);
    // the last clusters go to splits that mustn't stay empty
    const names = fresh.length - at <= empty.length ? empty : splitNames;
    place(roomiest(names, room, random), own);
  });
  const empty = splits.train.length === 0 ? "train" : splits.val.length === 0 ? "val" : undefined;
  if (empty !== undefined) {
    throw tooFew(tasks.length, clusters.length, empty);
  }
  // the same tasks in the same order, whether their splits are remembered or drawn
  const ordered = {
    train: inContentOrder(splits.train),
    val: inContentOrder(splits.val),
    test: inContentOrder(splits.test),
  };
  return { splits: ordered, manifest: splitManifest(ordered) };
}

function tooFew(tasks: number, clusters: number, empty: SplitName): WhetstoneError {
  const counted = tasks === 1 ? "There is 1 task" : `There are ${tasks} tasks`;
  const together =
    clusters === tasks ? "" : `, which count as ${clusters} because groups and near-duplicates stay together`;
  return new WhetstoneError("tasks-invalid", `${counted}${together}: none is left for ${empty}.`, {
    hint: "Add tasks: train and val need one each, and a proof needs many more. `whetstone init --draft 12` drafts some.",
  });
}

/** Tasks used to train stay in train, and those used to select in val. Only others may be test tasks. */
function sideBefore(own: readonly Task[], seen: Sides, hasTest: boolean): SplitName | undefined {
  const sides = new Set(own.flatMap((task) => [...(seen.get(askedHash(task)) ?? [])]));
  if (sides.has("train")) return "train";
  if (sides.has("val")) return "val";
  return sides.has("test") && hasTest ? "test" : undefined;
}

export const splitManifest = ({ train, val, test }: Splits): SplitManifest => ({
  train: train.map(taskHash),
  val: val.map(taskHash),
  test: test.map(taskHash),
});

/** More test tasks than this add little proof. */
const mostTest = 150;

export function defaultCounts(count: number): Record<SplitName, number> {
  // the remainder goes to test first, because it alone carries the claim
  const test = count < 3 ? 0 : Math.min(Math.ceil(count / 3), mostTest);
  const train = Math.ceil((count - test) / 2);
  return { train, val: count - test - train, test };
}

function checkRatio(ratio: SplitRatio): void {
  const [train, val, test] = ratio;
  if (ratio.every(Number.isFinite) && train > 0 && val > 0 && test >= 0) return;
  throw new WhetstoneError("config-invalid", `${ratio.join(":")} isn't a ratio of train, val and test.`, {
    hint: "Give three numbers, the first two above zero, such as 1:1:1.",
  });
}

export function inContentOrder(tasks: readonly Task[]): readonly Task[] {
  const keyed = tasks.map((task) => ({ task, key: taskHash(task) + task.id }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ task }) => task);
}

function roomiest(
  names: readonly SplitName[],
  room: Readonly<Record<SplitName, number>>,
  random: () => number,
): SplitName {
  const most = Math.max(...names.map((name) => room[name]));
  const tied = names.filter((name) => room[name] === most);
  return tied[Math.floor(random() * tied.length)] ?? "train";
}

function largestRemainder(count: number, ratio: SplitRatio): Record<SplitName, number> {
  checkRatio(ratio);
  const [train, val, test] = ratio;
  const sum = train + val + test;
  const quotas = { train: (count * train) / sum, val: (count * val) / sum, test: (count * test) / sum };
  const counts = {
    train: Math.floor(quotas.train),
    val: Math.floor(quotas.val),
    test: Math.floor(quotas.test),
  };
  const byRemainder = splitNames.toSorted((a, b) => quotas[b] - counts[b] - (quotas[a] - counts[a]));
  const rest = count - counts.train - counts.val - counts.test;
  for (const name of byRemainder.slice(0, rest)) counts[name] += 1;
  return counts;
}
