import type { ArchivedTask } from "./archive.ts";
import { tossDifference } from "../../core/rules/evidence/toss.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";

export interface RegressionInput {
  readonly archive: readonly ArchivedTask[];
  readonly rules: readonly LearnedRule[];
  /** The document's id. */
  readonly document: string;
  /** @default 12 */
  readonly atMost?: number;
}

/**
 * A document's regression set: earlier tasks that one of its adopted or proven rules won. If there are too many, rules take
 * turns, oldest first, each with its most recurrent task and then its newest. So every rule gets one check before any gets
 * a second.
 */
export function regressionSet({
  archive,
  rules,
  document,
  atMost = 12,
}: RegressionInput): readonly ArchivedTask[] {
  const standing = rules.filter(
    (rule) => rule.document === document && (rule.status === "adopted" || rule.status === "proven"),
  );
  const queues = standing.map(({ id }) =>
    archive
      .filter(({ wonBy }) => wonBy.includes(id))
      .toSorted(
        (a, b) => b.seen.length - a.seen.length || b.seenAt - a.seenAt || (a.task.id < b.task.id ? -1 : 1),
      ),
  );
  const chosen = new Set<ArchivedTask>();
  const rounds = Math.max(0, ...queues.map(({ length }) => length));
  for (let round = 0; round < rounds; round += 1)
    for (const queue of queues) {
      const next = queue[round];
      if (next !== undefined && chosen.size < atMost) chosen.add(next);
    }
  return [...chosen];
}

/** The rules that helped a task on a night, by task id, for the archive. */
export function findWins(
  rules: readonly LearnedRule[],
  night: string,
): ReadonlyMap<string, readonly string[]> {
  const won = rules.flatMap(({ id, evidence }) =>
    evidence
      .filter((one) => one.night === night && one.isOwn && tossDifference(one.tosses) > 0)
      .map(({ task }) => ({ task, id })),
  );
  return new Map(
    [...Map.groupBy(won, ({ task }) => task)].map(([task, own]) => [
      task,
      own.map(({ id }) => id).toSorted(),
    ]),
  );
}
