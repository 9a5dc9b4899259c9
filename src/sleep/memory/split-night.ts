import { seededRandom } from "../../core/random.ts";
import { disjointSets } from "../../core/tasks/disjoint-sets.ts";
import type { ArchivedTask } from "./archive.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";

export interface NightSplit {
  readonly train: readonly MinedTask[];
  readonly val: readonly MinedTask[];
}

/**
 * Divides tonight's tasks by conversation. Archived tasks stay where they are. A new conversation follows a task that it
 * shares with others, or else its own draw (seed and id), half and half. Draws are overruled only if tonight would have
 * nothing to learn from or to judge by. With two or more conversations, train gets at least one task. Val gets a new one, or
 * two if there are at least four new tasks.
 */
export function splitNight(
  tasks: readonly MinedTask[],
  { archive, seed }: { readonly archive: readonly ArchivedTask[]; readonly seed: number },
): NightSplit {
  const splitById = new Map(archive.map(({ task, split }) => [task.id, split]));
  const splitByConversation = conversationSplits(archive);
  const fresh = tasks.filter(({ task }) => !splitById.has(task.id));
  const placed = fresh.filter((mined) => placeOf(mined, splitByConversation) !== undefined);
  for (const mined of placed) splitById.set(mined.task.id, placeOf(mined, splitByConversation) ?? "train");
  const clusters = gather(tasks, splitByConversation, splitById, seed);
  meetNeeds(clusters, {
    fresh: fresh.length,
    freshVal: placed.filter(({ task }) => splitById.get(task.id) === "val").length,
    train: tasks.filter(({ task }) => splitById.get(task.id) === "train").length,
  });
  for (const { split, open } of clusters) for (const { task } of open) splitById.set(task.id, split);
  const inSplit = (split: ArchivedTask["split"]) =>
    tasks.filter(({ task }) => splitById.get(task.id) === split);
  return { train: inSplit("train"), val: inSplit("val") };
}

type Split = ArchivedTask["split"];

/** The split of each conversation: that of the tasks that began in it, else of the oldest task seen in it. */
const conversationSplits = (archive: readonly ArchivedTask[]): ReadonlyMap<string, Split> =>
  new Map([
    ...archive.toReversed().flatMap(({ seen, split }) => seen.map((id) => [id, split] as const)),
    ...archive.toReversed().map(({ task, seen, split }) => [task.group ?? seen[0] ?? "", split] as const),
  ]);

/** The split of a new task whose conversations are all placed already: that of the first one. */
function placeOf({ seen, task }: MinedTask, splitOf: ReadonlyMap<string, Split>): Split | undefined {
  if (!seen.every((id) => splitOf.has(id))) return undefined;
  return splitOf.get(task.group ?? "") ?? splitOf.get(seen[0] ?? "");
}

/** New conversations that share tasks, with their new tasks. */
interface Cluster {
  split: Split;
  readonly draw: number;
  /** Whether it shares a task with conversations that are placed already. */
  readonly isTied: boolean;
  readonly open: readonly MinedTask[];
}

function gather(
  tasks: readonly MinedTask[],
  splitByConversation: ReadonlyMap<string, Split>,
  splitById: ReadonlyMap<string, Split>,
  seed: number,
): readonly Cluster[] {
  const ids = [...new Set(tasks.flatMap(({ seen }) => seen))]
    .filter((id) => !splitByConversation.has(id))
    .toSorted();
  const position = new Map(ids.map((id, at) => [id, at]));
  const sets = disjointSets(ids.length);
  const newOf = ({ seen }: MinedTask): readonly number[] => seen.flatMap((id) => position.get(id) ?? []);
  const open = tasks.filter(({ task }) => !splitById.has(task.id));
  for (const mined of open) {
    const [first, ...others] = newOf(mined);
    if (first !== undefined) for (const other of others) sets.join(first, other);
  }
  // a task that is placed already pulls conversations to its side, but doesn't tie them to each other
  const tiesOf = new Map<number, Set<Split>>();
  const tie = (root: number, split: Split) => tiesOf.set(root, (tiesOf.get(root) ?? new Set()).add(split));
  for (const mined of tasks)
    for (const at of newOf(mined)) {
      const splits = [splitById.get(mined.task.id), ...mined.seen.map((id) => splitByConversation.get(id))];
      for (const split of splits) if (split !== undefined) tie(sets.find(at), split);
    }
  const byRoot = Map.groupBy(open, (mined) => sets.find(newOf(mined)[0] ?? 0));
  return [...byRoot].map(([root, own]) => {
    const ties = tiesOf.get(root) ?? new Set<Split>();
    const draw = drawOf(seed, ids[root] ?? "");
    const [only] = ties;
    // tied to both sides, it's free: nothing that is placed already moves
    const split = ties.size === 1 && only !== undefined ? only : draw < valShare ? "val" : "train";
    return { split, draw, isTied: ties.size > 0, open: own };
  });
}

/** The same share as for small training sets. */
const valShare = 0.5;

const drawOf = (seed: number, conversation: string): number =>
  seededRandom("night-split", seed, conversation)();

interface Counts {
  readonly fresh: number;
  /** New tasks that are certainly in val. */
  readonly freshVal: number;
  /** Tasks that are certainly in train. */
  readonly train: number;
}

/** Moves the clusters with the closest draws; those tied by a shared task come last. */
function meetNeeds(clusters: readonly Cluster[], { fresh, freshVal, train }: Counts): void {
  const count = (split: Split) =>
    clusters.reduce((sum, cluster) => sum + (cluster.split === split ? cluster.open.length : 0), 0);
  const inOrder = (split: Split, towards: 1 | -1) =>
    clusters
      .filter((cluster) => cluster.split === split)
      .toSorted((a, b) => Number(a.isTied) - Number(b.isTied) || towards * (a.draw - b.draw));
  if (train + count("train") === 0) {
    const [closest] = inOrder("val", -1);
    if (closest !== undefined) closest.split = "train";
  }
  const wanted = fresh >= 4 ? 2 : fresh >= 2 ? 1 : 0;
  for (const cluster of inOrder("train", 1)) {
    if (freshVal + count("val") >= wanted) return;
    if (train + count("train") > cluster.open.length) cluster.split = "val";
  }
}
