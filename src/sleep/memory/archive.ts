import type { MinedTask } from "../../core/ports/mined-task.ts";

/** A task as nights remember it. Its id, request, checks and split never change. */
export interface ArchivedTask extends MinedTask {
  readonly split: "train" | "val";
  /** The name of a night. */
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** When it was last seen, in milliseconds since the epoch; retention counts from it. */
  readonly seenAt: number;
  /** The number of nights with a conversation that had it. */
  readonly times: number;
  /** Its outcomes for the person, newest last. */
  readonly outcomes: readonly { readonly night: string; readonly outcome: MinedTask["outcome"] }[];
  /** Ids of the rules under which it was won, sorted. */
  readonly wonBy: readonly string[];
}

export interface ArchivedNight {
  readonly night: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Tonight's own tasks by split, without recalled tasks or paraphrases. */
  readonly train: readonly MinedTask[];
  readonly val: readonly MinedTask[];
  /** Rules that won a task tonight, by task id, including tasks of earlier nights. */
  readonly won?: ReadonlyMap<string, readonly string[]>;
}

/** The archive after a night, oldest tasks first. A night that is added twice counts once. */
export function updateArchive(
  archive: readonly ArchivedTask[],
  { night, at, train, val, won = new Map<string, readonly string[]>() }: ArchivedNight,
): readonly ArchivedTask[] {
  const tonight = new Map<string, { readonly mined: MinedTask; readonly split: ArchivedTask["split"] }>();
  for (const mined of train) tonight.set(mined.task.id, { mined, split: "train" });
  for (const mined of val) tonight.set(mined.task.id, { mined, split: "val" });
  const known = archive.map((archived): ArchivedTask => {
    const found = tonight.get(archived.task.id);
    tonight.delete(archived.task.id);
    const wonBy = joinSorted(archived.wonBy, won.get(archived.task.id) ?? []);
    if (found === undefined) return { ...archived, wonBy };
    const { mined } = found;
    return {
      ...archived,
      ...mined,
      task: archived.task,
      seen: joinSorted(archived.seen, mined.seen),
      lastSeen: night,
      seenAt: at,
      times: archived.times + (archived.lastSeen === night ? 0 : 1),
      outcomes: [
        ...archived.outcomes.filter((each) => each.night !== night),
        { night, outcome: mined.outcome },
      ].slice(-keptOutcomes),
      wonBy,
    };
  });
  const fresh = [...tonight.values()].map(
    ({ mined, split }): ArchivedTask => ({
      ...mined,
      split,
      firstSeen: night,
      lastSeen: night,
      seenAt: at,
      times: 1,
      outcomes: [{ night, outcome: mined.outcome }],
      wonBy: joinSorted([], won.get(mined.task.id) ?? []),
    }),
  );
  return [...known, ...fresh];
}

/** Removes tasks that no conversation had for that many days, because a person's words aren't kept longer. */
export const expireArchive = (
  archive: readonly ArchivedTask[],
  { now, days }: { /** Milliseconds since the epoch. */ readonly now: number; readonly days: number },
): readonly ArchivedTask[] => archive.filter(({ seenAt }) => seenAt > now - days * millisecondsPerDay);

const keptOutcomes = 10;
const millisecondsPerDay = 86_400_000;

const joinSorted = (a: readonly string[], b: readonly string[]): readonly string[] =>
  [...new Set([...a, ...b])].toSorted();
