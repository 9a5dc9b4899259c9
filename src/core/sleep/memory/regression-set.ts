import type { ArchivedTask } from "./archive.ts";
import type { Rule } from "../rules/rule.ts";

export interface RegressionInput {
  readonly archive: readonly ArchivedTask[];
  readonly rules: readonly Rule[];
  /** Id of the document. */
  readonly document: string;
  /** @default 12 */
  readonly atMost?: number;
}

/**
 * The standing set of a document: earlier val tasks that were won by one of its rules that is adopted or proven. Where
 * there are too many, rules take turns, oldest first, each with its most recurrent task and then its newest: every rule
 * keeps being checked by something before any is checked by more.
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
      .filter(({ split, wonBy }) => split === "val" && wonBy.includes(id))
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

/** One result of a night: what a task came to under the document as it was, or with one more rule. */
export interface ArmResult {
  readonly document: string;
  readonly task: string;
  readonly split: "train" | "val" | "regression";
  /** `incumbent`, `original`, `together`, or the id of the rule that was added. */
  readonly arm: string;
  /** Null where there is no result. */
  readonly hard: number | null;
}

/** Rules under which a val task did better than without them, by task id: what the archive remembers of a night. */
export function findWins(results: readonly ArmResult[]): ReadonlyMap<string, readonly string[]> {
  const means = new Map<string, number>();
  const val = results.filter(({ split, hard }) => split === "val" && hard !== null);
  for (const [key, own] of Map.groupBy(val, armKey))
    means.set(key, own.reduce((sum, { hard }) => sum + (hard ?? 0), 0) / own.length);
  const won = new Map<string, Set<string>>();
  for (const { document, task, arm } of val) {
    if (arm === "incumbent" || arm === "original" || arm === "together") continue;
    const [before, after] = [
      means.get(armKey({ document, task, arm: "incumbent" })),
      means.get(armKey({ document, task, arm })),
    ];
    if (before === undefined || after === undefined || after <= before) continue;
    won.set(task, (won.get(task) ?? new Set()).add(arm));
  }
  return new Map([...won].map(([task, arms]) => [task, [...arms].toSorted()]));
}

const armKey = ({ document, task, arm }: Pick<ArmResult, "document" | "task" | "arm">): string =>
  `${document}\n${task}\n${arm}`;
