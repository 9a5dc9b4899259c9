import { disjointSets } from "../../core/tasks/disjoint-sets.ts";
import { findNearDuplicates } from "../../core/tasks/near-duplicates.ts";
import type { ArchivedTask } from "../memory/archive.ts";
import { isSameTask, likeness } from "./likeness.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";

/**
 * Merges tonight's tasks: those that ask the same become one task that remembers every conversation it was seen in. A task of
 * the archive keeps its id, its words and its checks, whatever tonight's words are. Most recurrent first.
 */
export function mergeMined(
  tasks: readonly MinedTask[],
  archive: readonly ArchivedTask[],
): readonly MinedTask[] {
  const clusterOf = findClusters([...archive, ...tasks]);
  const merged: Merged[] = [];
  for (const task of tasks) {
    const cluster = clusterOf.get(task) ?? -1;
    const earlier = merged.find(({ mined, clusters }) => clusters.has(cluster) || isSameTask(task, mined));
    if (earlier !== undefined) {
      earlier.mined = join(earlier.mined, task, earlier.isKnown);
      earlier.clusters.add(cluster);
      continue;
    }
    const same = archive.filter((other) => clusterOf.get(other) === cluster || isSameTask(task, other));
    const [known] = same.toSorted((a, b) => likeness(task, b) - likeness(task, a));
    const twin = merged.find(({ mined }) => mined.task.id === known?.task.id);
    if (twin !== undefined) twin.mined = join(twin.mined, task, true);
    else {
      const mined = known === undefined ? task : join(withoutHistory(known), task, true);
      merged.push({ mined, isKnown: known !== undefined, clusters: new Set([cluster]) });
    }
  }
  return merged
    .map(({ mined }) => mined)
    .toSorted(
      (a, b) =>
        b.seen.length - a.seen.length || Number(b.kind === "correction") - Number(a.kind === "correction"),
    );
}

interface Merged {
  mined: MinedTask;
  readonly isKnown: boolean;
  readonly clusters: Set<number>;
}

/** Uses the same measure that rejects splits with repeated tasks, so that it finds none afterwards. */
function findClusters(tasks: readonly MinedTask[]): ReadonlyMap<MinedTask, number> {
  const sets = disjointSets(tasks.length);
  for (const { first, second } of findNearDuplicates(tasks.map(({ task }) => task))) sets.join(first, second);
  return new Map(tasks.map((mined, at) => [mined, sets.find(at)]));
}

/** Joins two tasks. `keepsFirst`: the first is known, so its request and checks must not change. */
function join(first: MinedTask, second: MinedTask, keepsFirst: boolean): MinedTask {
  const [base, other] = keepsFirst || !isBetterChecked(second, first) ? [first, second] : [second, first];
  const stated = base.stated ?? other.stated;
  const skill = base.skill ?? other.skill;
  const talk = base.talk ?? other.talk;
  const said = [
    ...new Map(
      [...(base.said ?? []), ...(other.said ?? [])].map((one) => [`${one.conversation}\n${one.text}`, one]),
    ).values(),
  ];
  const paraphrases = new Set([...base.paraphrases, ...other.paraphrases]);
  paraphrases.delete(base.task.input);
  return {
    ...base,
    kind: base.kind === "correction" ? base.kind : other.kind,
    seen: [...new Set([...base.seen, ...other.seen])].toSorted(),
    outcome: second.outcome === "unknown" ? first.outcome : second.outcome,
    evidence: [...new Set([...base.evidence, ...other.evidence])].slice(-maxEvidence),
    ...(stated === undefined ? {} : { stated }),
    ...(skill === undefined ? {} : { skill }),
    ...(talk === undefined ? {} : { talk }),
    ...(said.length === 0 ? {} : { said }),
    paraphrases: [...paraphrases].slice(0, maxParaphrases),
  };
}

const [maxEvidence, maxParaphrases] = [6, 2];

/** Prefers checks by a program over a judge, and tasks with a workspace over words. */
const isBetterChecked = (a: MinedTask, b: MinedTask): boolean => checkRank(a) > checkRank(b);

const checkRank = ({ task, workspace }: MinedTask): number =>
  (task.checks?.some(({ kind }) => kind === "rubric") ? 0 : 2) + (workspace === undefined ? 0 : 1);

function withoutHistory(archived: ArchivedTask): MinedTask {
  const {
    split: _,
    firstSeen: _1,
    lastSeen: _2,
    seenAt: _3,
    times: _4,
    outcomes: _5,
    wonBy: _6,
    ...mined
  } = archived;
  return mined;
}
